"""The verdict says what the numbers say."""

import pytest
from tests.fit.fake_estimator import FakeEstimator, closed, gpu_room, gpus, host_room
from tests.fit.forged import GIB, MIB, llama_header

from quern.fit.answer.attempt import Attempts
from quern.fit.answer.leeway import Leeway, leeway_of
from quern.fit.answer.verdict import judge
from quern.fit.buffer.settings_refused import SettingsRefused
from quern.fit.errors import DeviceGone
from quern.fit.report import FitReport, Source, Verdict
from quern.fit.room import Room, RoomKind
from quern.spec import KvType, LoadSettings

BASE = closed()


def verdict(fake: FakeEstimator, *rooms: Room, settings: LoadSettings = BASE) -> FitReport:
    return judge(fake, settings, rooms, 131_072, leeway_of(fake.shape))


WHOLE = sum(need.needs.total for need in FakeEstimator().needs(closed()))


def test_it_fits_with_the_margin_kept() -> None:
    report = verdict(FakeEstimator(), host_room(WHOLE + 256 * MIB))
    assert report.verdict is Verdict.FITS
    assert report.largest_ctx_cells == 4096
    assert report.devices[0].spare == 0


def test_one_byte_less_is_tight() -> None:
    report = verdict(FakeEstimator(), host_room(WHOLE + 256 * MIB - 1))
    assert report.verdict is Verdict.TIGHT
    assert report.largest_ctx_cells == 4096 - 256


def test_one_byte_less_than_all_is_too_large() -> None:
    assert verdict(FakeEstimator(), host_room(WHOLE)).verdict is Verdict.TIGHT
    assert verdict(FakeEstimator(), host_room(WHOLE - 1)).verdict is Verdict.TOO_LARGE


def test_what_is_given_back_before_the_load_counts() -> None:
    room = host_room(WHOLE - 1 * GIB, own=1 * GIB, reclaimable=1 * GIB)
    assert verdict(FakeEstimator(), room).verdict is Verdict.TIGHT


def test_too_much_for_the_gpu_but_not_for_both_is_partial() -> None:
    fake = FakeEstimator(devices=gpus(600 * MIB))
    report = verdict(fake, host_room(8 * GIB), gpu_room(600 * MIB))
    assert report.verdict is Verdict.PARTIAL


def test_too_much_for_the_gpu_and_for_the_host_but_not_for_both_together_is_partial() -> None:
    fake = FakeEstimator(body=1000 * MIB, devices=gpus(5 * GIB))
    report = verdict(fake, host_room(5 * GIB), gpu_room(5 * GIB))
    assert report.verdict is Verdict.PARTIAL


def test_experts_on_the_cpu_may_be_what_makes_it_partial() -> None:
    fake = FakeEstimator(experts=900 * MIB, devices=gpus(2 * GIB))
    report = verdict(fake, host_room(9 * GIB), gpu_room(2 * GIB))
    assert report.verdict is Verdict.PARTIAL


def test_the_host_counts_even_where_everything_is_on_the_gpu() -> None:
    fake = FakeEstimator(devices=gpus(20 * GIB))
    report = verdict(fake, host_room(20 * MIB), gpu_room(20 * GIB))
    assert report.verdict is Verdict.TOO_LARGE


def test_unified_memory_is_not_there_twice() -> None:
    fake = FakeEstimator(body=1000 * MIB, devices=gpus(10 * GIB))
    unified = gpu_room(10 * GIB, kind=RoomKind.UNIFIED)
    assert verdict(fake, host_room(6 * GIB), unified).verdict is Verdict.TOO_LARGE
    assert verdict(fake, host_room(10 * GIB), unified).verdict is Verdict.FITS


def test_partial_is_found_without_knowing_the_number_of_layers() -> None:
    fake = FakeEstimator(devices=gpus(600 * MIB))
    report = judge(fake, closed(), (host_room(8 * GIB), gpu_room(600 * MIB)), 4096)
    assert report.verdict is Verdict.PARTIAL


def test_a_vanished_gpu_and_refused_settings_are_said() -> None:
    fake = FakeEstimator(devices=gpus(8 * GIB), refuses=frozenset({KvType.Q4_0}))
    with pytest.raises(DeviceGone):
        verdict(fake, host_room(8 * GIB))
    with pytest.raises(SettingsRefused):
        verdict(fake, host_room(8 * GIB), gpu_room(8 * GIB), settings=closed(type_k=KvType.Q4_0))


def test_the_source_and_the_cells_are_the_estimators_and_the_engines() -> None:
    fake = FakeEstimator(source=Source.EXACT)
    report = judge(fake, closed(n_ctx_cells=1024, n_seq_max=3, kv_unified=False), (host_room(8 * GIB),), 0)
    assert report.source is Source.EXACT
    assert report.n_ctx_cells == 3 * 512
    assert report.n_ctx_train == 0
    assert report.largest_ctx_cells == 1536


def test_a_thousand_billion_cells_are_an_answer_and_not_an_error() -> None:
    report = verdict(FakeEstimator(), host_room(64 * GIB), settings=closed(n_ctx_cells=2**31 - 256))
    assert report.verdict is Verdict.TOO_LARGE
    assert report.largest_ctx_cells == 131_072


def test_leeway_is_read_from_the_shape() -> None:
    header = llama_header(n_layer=4, n_expert=4)
    fake = FakeEstimator(n_layer=4, experts=1)
    leeway = leeway_of(fake.shape, header)
    assert (leeway.n_layers, leeway.n_expert_layers) == (5, 4)
    assert leeway.n_parameters == sum(tensor.n_elements for tensor in header.tensors)
    assert Leeway().most_layers == 513


def test_a_question_is_asked_once() -> None:
    fake = FakeEstimator()
    attempts = Attempts(fake, (host_room(8 * GIB),))
    assert attempts.outcome(closed()) is attempts.outcome(closed())
    assert fake.n_asked == 1
