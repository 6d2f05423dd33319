"""A second Quern raises the first one's window."""

import subprocess
import sys
from pathlib import Path

from pytestqt.qtbot import QtBot

from quern.base import Home
from quern.gui.instance import InstanceServer, raise_first_window, server_name


def test_a_second_start_raises_the_first_window(tmp_path: Path, qtbot: QtBot) -> None:
    home = Home(tmp_path)
    server = InstanceServer(home)
    assert server.listen()
    program = (
        "import sys; from pathlib import Path; from quern.base import Home; "
        "from quern.gui.instance import raise_first_window; print(raise_first_window(Home(Path(sys.argv[1]))))"
    )
    with qtbot.waitSignal(server.raise_requested, timeout=20_000):
        second = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=20_000)
    server.close()
    assert second.stdout is not None
    with second.stdout:
        assert second.stdout.read().strip() == "True"


def test_without_a_first_window_there_is_no_answer(tmp_path: Path, qtbot: QtBot) -> None:
    del qtbot
    assert raise_first_window(Home(tmp_path)) is False


def test_each_folder_has_its_own_socket_with_a_short_name(tmp_path: Path) -> None:
    long = tmp_path / ("ordner-mit-ümläuten " * 12)
    assert server_name(Home(tmp_path)) != server_name(Home(long))
    assert len(server_name(Home(long))) < 40
