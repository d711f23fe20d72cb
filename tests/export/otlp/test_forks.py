"""Forked children: an empty queue, counts of zero, a thread of their own, and everything they log is sent."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.export.otlp.fault_server import FaultServer, fields, status
from tests.export.otlp.running import run

pytestmark = [pytest.mark.integration, pytest.mark.long]


def by_process(server: FaultServer) -> Counter[int]:
    """Return how many records of each process came in."""
    return Counter(fields(record)["pid"] for record in server.logs if "pid" in fields(record))


def test_what_waits_in_the_parent_the_parent_sends_once(tmp_path: Path) -> None:
    """The child has an empty queue and counts of zero, and sends its own at its end."""
    program = """
    handle = set_up(level="INFO")
    say(30)
    pid = os.fork()
    if pid == 0:
        tell(child=counts())
        say(7)
        handle.flush()
        tell(child=counts())
        sys.exit(0)
    os.waitpid(pid, 0)
    say(3)
    handle.close()
    tell(parent=counts(), pids=[os.getpid(), pid])
    """
    with FaultServer() as server:
        ended = run(program, server.base, tmp_path)

    assert (ended.code, ended.stderr) == (0, "")
    begun, after, last = ended.said
    assert begun["child"]["total"] == 0
    assert (after["child"]["total"], after["child"]["observed"]) == (7, 7)
    # One more tells that the contracts are active.
    assert (last["parent"]["total"], last["parent"]["observed"]) == (34, 34)
    assert by_process(server) == dict(zip(last["pids"], (33, 7), strict=True))


def test_children_of_multiprocessing_send_at_their_end(tmp_path: Path) -> None:
    """No function of atexit runs there before Python 3.13."""
    program = """
    import multiprocessing

    def work(n):
        say(n)

    handle = set_up()
    say(1)
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=work, args=(n,)) for n in (5, 6, 7)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    tell(codes=[worker.exitcode for worker in workers], pids=[os.getpid(), *(worker.pid for worker in workers)])
    """
    with FaultServer() as server:
        ended = run(program, server.base, tmp_path)

    assert (ended.code, ended.stderr) == (0, "")
    assert ended.said[0]["codes"] == [0, 0, 0]
    assert by_process(server) == dict(zip(ended.said[0]["pids"], (1, 5, 6, 7), strict=True))


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_children_that_set_up_for_themselves_send_at_their_end(method: str, tmp_path: Path) -> None:
    """A fork server's children run no function of atexit before Python 3.13 either."""
    program = f"""
    import multiprocessing

    def work(n):
        set_up()
        say(n)

    if __name__ == "__main__":
        worker = multiprocessing.get_context("{method}").Process(target=work, args=(5,))
        worker.start()
        worker.join()
        tell(code=worker.exitcode, pid=worker.pid)
    """
    with FaultServer() as server:
        ended = run(program, server.base, tmp_path)

    assert (ended.code, ended.stderr, ended.said[0]["code"]) == (0, "", 0)
    assert by_process(server) == {ended.said[0]["pid"]: 5}


def test_a_fork_while_the_thread_is_sending_hangs_nobody(tmp_path: Path) -> None:
    """Whatever lock the other threads hold at the moment of the fork, the child has its own."""
    program = """
    handle = set_up()
    stop = threading.Event()

    def chatter():
        while not stop.is_set():
            say(50)
            handle.flush(1)

    threads = [threading.Thread(target=chatter) for _ in range(3)]
    for thread in threads:
        thread.start()
    children = []
    for _ in range(15):
        pid = os.fork()
        if pid == 0:
            # A child that hangs is killed, and then its code says so.
            signal.alarm(100)
            say(4)
            tell(child=handle.flush(90), pid=os.getpid(), counts=counts())
            os._exit(0)
        children.append(pid)
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
    stop.set()
    for thread in threads:
        thread.join()
    handle.close()
    tell(codes=codes, parent=counts(), pid=os.getpid())
    """
    with FaultServer() as server:
        ended = run(program, server.base, tmp_path)

    assert ended.code == 0, ended.stderr
    last = ended.said[-1]
    assert last["codes"] == [0] * 15
    found = by_process(server)
    for child in ended.said[:-1]:
        assert (child["child"], child["counts"]["observed"], child["counts"]["missing_by_reason"]) == (True, 4, {})
        assert found.pop(child["pid"]) == 4
    assert found == {last["pid"]: last["parent"]["observed"] - 1}
    assert last["parent"]["total"] == last["parent"]["observed"] + sum(last["parent"]["missing_by_reason"].values())


def test_a_preloading_server_and_its_workers_all_send(tmp_path: Path) -> None:
    """The set-up is made before the fork, and nothing is logged before it: each process starts its own thread."""
    program = """
    handle = set_up(level="INFO", spans=None)
    pids = []
    for _ in range(3):
        pid = os.fork()
        if pid == 0:
            say(11)
            # As gunicorn ends a worker.
            sys.exit(0)
        pids.append(pid)
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
    tell(codes=codes, pids=pids)
    """
    with FaultServer() as server:
        ended = run(program, server.base, tmp_path)

    assert (ended.code, ended.stderr) == (0, "")
    assert ended.said[0]["codes"] == [0, 0, 0]
    assert by_process(server) == dict.fromkeys(ended.said[0]["pids"], 11)


def test_a_child_says_what_it_has_lost_though_its_parent_has_lost_as_much(tmp_path: Path) -> None:
    """Its counts are its own."""
    program = """
    def lose():
        with discreet.configure(json=None, otlp=url, metrics=False, all_spans=False, level="WARNING"):
            log.warning("record")

    lose()
    pid = os.fork()
    lose()
    if pid:
        os.waitpid(pid, 0)
    """
    with FaultServer([status(403)]) as server:
        ended = run(program, server.base, tmp_path)

    lost = "discreet: {} of {} records are missing in the sink otlp_logs: unauthorized"
    assert (ended.code, sorted(ended.stderr.splitlines())) == (
        0,
        [lost.format(1, 1), lost.format(1, 1), lost.format(2, 2)],
    )
