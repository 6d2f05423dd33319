"""One window per data folder: a second `quern` asks the first to come to the front."""

import hashlib
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from quern.base import Home

TIMEOUT_MS = 1000
RAISE = b"raise\n"


def server_name(home: Home) -> str:
    """Return the name of the local socket for `home`: short (socket paths hold about 100 bytes), one per folder."""
    digest = hashlib.sha256(str(Path(home.root).resolve()).encode()).hexdigest()[:16]
    return f"quern-{digest}"


def raise_first_window(home: Home) -> bool:
    """Ask the window that owns `home` to come to the front; tell whether there was one that answered."""
    socket = QLocalSocket()
    socket.connectToServer(server_name(home))
    if not socket.waitForConnected(TIMEOUT_MS):
        return False
    socket.write(RAISE)
    socket.waitForBytesWritten(TIMEOUT_MS)
    was_answered = socket.bytesAvailable() > 0 or socket.waitForReadyRead(TIMEOUT_MS)
    socket.disconnectFromServer()
    return was_answered


class InstanceServer(QObject):
    """Owns the local socket that only this user can open; `raise_requested` when a second Quern was started."""

    raise_requested = Signal()

    def __init__(self, home: Home, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = server_name(home)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._take)

    def listen(self) -> bool:
        """Open the socket; one that a dead process left behind is removed first. Tell whether it is open.

        The caller owns the data folder, so no living window can be behind an old socket.
        """
        QLocalServer.removeServer(self._name)
        return self._server.listen(self._name)

    def close(self) -> None:
        """Close the socket."""
        self._server.close()

    def _take(self) -> None:
        while self._server.hasPendingConnections():
            socket = self._server.nextPendingConnection()
            socket.disconnected.connect(socket.deleteLater)
            socket.readyRead.connect(lambda socket=socket: self._answer(socket))
            if socket.bytesAvailable():
                self._answer(socket)

    def _answer(self, socket: QLocalSocket) -> None:
        """Any word means the same; answering tells the other process that it may end."""
        socket.readAll()
        socket.write(b"ok\n")
        socket.flush()
        self.raise_requested.emit()
