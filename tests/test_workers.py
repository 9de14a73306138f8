"""Workers of a Dask scheduler: the same results as here, in order, whatever becomes of a worker.

Scheduler and workers are processes of their own on the loopback address. Nothing here waits for an amount of time:
workers are killed by what they are asked to do, or when the first result has been seen.
"""

import io
import json
import logging
import os
import pickle
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version as installed
from itertools import count, islice
from pathlib import Path

import pytest
from click.testing import CliRunner

from sampling import ALL, thorough
from virtcatalog.cli import main
from virtcatalog.errors import VirtcatalogError
from virtcatalog.fleet import workers as module
from virtcatalog.fleet.pool import LostProcessError
from virtcatalog.fleet.workers import OtherVersionsError, UnreachableError, Workers, call, versions

pytest.importorskip("distributed", reason="pip install 'virtcatalog[dask]' brings dask.distributed")

import dask

from dask_calls import failing, killed, killed_once, multiplied

TESTS = Path(__file__).parent
CATALOG = str(TESTS.parent / "examples/common-instancetypes")
PATIENCE = "distributed.comm.timeouts.connect"
SHORT = {PATIENCE: "0.5s"}
LONG = {PATIENCE: "60s"}
"""Far longer than anything here takes: who waits so long fails."""


class Processes:
    """A scheduler and its workers."""

    def __init__(self, folder, **environment):
        self._folder = folder
        self._environment = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1", **environment}
        self._started = []
        _, self.url = self._start(r"Scheduler at:\s+(\S+)", "scheduler", "--port", "0")
        self.address = self.url.partition("://")[2]

    def worker(self, *path):
        """Start a worker, which looks for modules in these folders first, and wait until the scheduler knows it."""
        folder = str(self._folder / f"worker-{len(self._started)}")
        arguments = ("worker", self.url, "--no-nanny", "--nthreads", "1", "--local-directory", folder)
        worker, _ = self._start("(Registered to)", *arguments, path=path)
        return worker

    def _start(self, pattern, *arguments, path=()):
        """Start a process, wait until it says what the pattern matches, and return both."""
        log = self._folder / f"{len(self._started)}.log"
        command = [sys.executable, "-m", "dask", *arguments, "--host", "127.0.0.1", "--no-dashboard"]
        environment = {**self._environment, "PYTHONPATH": os.pathsep.join(map(str, (*path, TESTS)))}
        with log.open("w") as output:
            process = subprocess.Popen(command, stderr=output, env=environment, cwd=self._folder)
        self._started.append(process)
        while not (match := re.search(pattern, log.read_text())):
            assert process.poll() is None, log.read_text()
            time.sleep(0.02)
        return process, match[1]

    def end(self):
        for process in reversed(self._started):
            process.kill()
            process.wait()


@contextmanager
def started(folder, **environment) -> Iterator[Processes]:
    processes = Processes(folder, **environment)
    try:
        yield processes
    finally:
        processes.end()


@pytest.fixture(autouse=True)
def _patience():
    with dask.config.set(LONG):
        yield


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    if not ALL:  # each process of pytest starts one, which takes seconds
        pytest.skip("make test TESTS=all")
    with started(tmp_path_factory.mktemp("dask")) as processes:
        processes.worker()
        yield processes


@pytest.fixture
def workers(cluster):
    return Workers(cluster.address)


def machine(number):
    """Make a VM; every seventh is refused."""
    return f"""\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: vm-{number}}}
spec:
  runStrategy: Always
  instancetype: {{name: u1.{("small", "medium", "large")[number % 3]}}}
  preference: {{name: {"fedora" if number % 7 else "none"}}}
  template:
    spec:
      domain: {{devices: {{}}}}
"""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    path = tmp_path_factory.mktemp("fleet") / "fleet.yaml"
    path.write_text("---\n".join(map(machine, range(400))))
    return str(path)


def test_results_are_in_the_order_of_the_items(workers):
    assert list(workers.results(multiplied, range(40), 7)) == [7 * number for number in range(40)]


def test_what_dask_logs_while_it_recovers_is_not_printed(workers):
    """A worker that dies with results in its hands costs their making anew, and "Couldn't gather" in the log."""
    logger = logging.getLogger("distributed.client")
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logger.addHandler(handler)
    try:
        for _ in workers.results(multiplied, range(2), 7):
            logger.warning("in the run")
        logger.warning("after it")
    finally:
        logger.removeHandler(handler)
    assert stream.getvalue() == "after it\n"


def test_no_items_give_no_results(workers):
    assert list(workers.results(multiplied, [], 7)) == []


def test_items_are_taken_a_few_ahead(workers):
    taken = []
    items = (taken.append(number) or number for number in count())
    results = workers.results(multiplied, items, 1)
    assert list(islice(results, 5)) == [0, 1, 2, 3, 4]
    assert len(taken) < 20
    results.close()


def test_runs_side_by_side_have_their_own_objects(workers):
    pairs = zip(workers.results(multiplied, range(9), 2), workers.results(multiplied, range(9), 3), strict=True)
    assert list(pairs) == [(2 * number, 3 * number) for number in range(9)]


def test_an_error_on_a_worker_is_raised_here(workers):
    with pytest.raises(ValueError, match="item 0"):
        list(workers.results(failing, range(9)))


@thorough
def test_a_worker_that_dies_costs_no_result(tmp_path):
    marker = tmp_path / "killed"
    with started(tmp_path) as processes:
        both = [processes.worker(), processes.worker()]
        results = list(Workers(processes.address).results(killed_once, range(60), 17, str(marker)))
        assert results == list(range(60))
        assert sorted(worker.poll() is None for worker in both) == [False, True]


def test_a_result_that_dask_loses_with_its_worker_is_asked_for_again(workers, monkeypatch):
    """It says so with a ValueError of its own."""
    result, lost = Workers._result, [3, 17]

    def once_lost(self, client, future, seconds):
        answer = result(self, client, future, seconds)
        if lost and pickle.loads(answer) == lost[0]:
            lost.pop(0)
            raise ValueError("too many values to unpack (expected 3)")
        return answer

    monkeypatch.setattr(Workers, "_result", once_lost)
    assert list(workers.results(multiplied, range(30), 1)) == list(range(30))
    assert not lost


@thorough
def test_what_kills_worker_after_worker_ends_the_run(tmp_path):
    with started(tmp_path) as processes:
        both = [processes.worker(), processes.worker()]
        with pytest.raises(LostProcessError, match="were killed one after the other by the same VMs"):
            list(Workers(processes.address).results(killed, range(1)))
        assert [worker.wait() for worker in both] == [-signal.SIGKILL] * 2


@thorough
def test_a_scheduler_that_goes_ends_the_run(tmp_path):
    with started(tmp_path) as processes:
        processes.worker()
        results = Workers(processes.address).results(multiplied, count(), 1)
        assert next(results) == 0
        processes.end()
        with pytest.raises(LostProcessError, match=f"the scheduler at {processes.address} has gone"):
            list(results)


def test_a_scheduler_that_is_not_there_is_an_error():
    with socket.socket() as taken, dask.config.set(SHORT):
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(UnreachableError, match=f"no connection to the scheduler at tcp://{address}: .* 0.5 s"):
            list(Workers(address).results(multiplied, range(3), 2))


@thorough
def test_a_scheduler_without_workers_is_an_error(tmp_path):
    with started(tmp_path) as processes, dask.config.set({PATIENCE: "3s"}):
        results = Workers(processes.address).results(multiplied, range(3), 2)
        with pytest.raises(UnreachableError, match=f"{processes.address} had no worker for 3 s"):
            next(results)


@thorough
@pytest.mark.parametrize(("version", "theirs"), [("99.0", "virtcatalog 99.0"), (None, "no virtcatalog")])
def test_a_worker_with_another_virtcatalog_is_refused(tmp_path, version, theirs):
    package = tmp_path / "virtcatalog-99.dist-info"
    package.mkdir()
    (package / "METADATA").write_text(f"Name: virtcatalog\nVersion: {version}\n" if version else "")
    with started(tmp_path) as processes:
        processes.worker(tmp_path)
        with pytest.raises(OtherVersionsError) as caught:
            list(Workers(processes.address).results(multiplied, range(3), 2))
    assert f"{processes.address} has {theirs} on Python" in str(caught.value)
    assert f"and here is virtcatalog {installed('virtcatalog')} on Python {versions().python}" in str(caught.value)


@pytest.mark.parametrize("theirs", [versions()._replace(python="3.1"), versions()._replace(virtcatalog="0.0")])
def test_a_worker_that_comes_later_refuses_work_of_other_versions(theirs):
    """Before it unpacks any of it: what it was sent cannot be unpacked."""
    with pytest.raises(OtherVersionsError, match=rf"^a worker has .*, and here is {theirs}: install the same on both$"):
        call(theirs, b"", "digest", b"")


@pytest.fixture
def unpacked(monkeypatch):
    """What a worker holds: nothing yet."""
    monkeypatch.setattr(module, "_unpacked", OrderedDict())
    return module._unpacked


def test_a_worker_unpacks_what_is_held_once(unpacked):
    held = pickle.dumps((2,))
    assert pickle.loads(call(versions(), pickle.dumps((multiplied, 3)), "two", held)) == 6
    assert pickle.loads(call(versions(), pickle.dumps((multiplied, 4)), "two", b"not unpacked again")) == 8
    assert unpacked == {"two": (2,)}


def test_a_worker_lets_go_of_what_it_has_held_longest(unpacked):
    for number in range(module._MOST_UNPACKED + 2):
        call(versions(), pickle.dumps((multiplied, 1)), str(number), pickle.dumps((number,)))
    assert list(unpacked) == [str(number) for number in range(2, module._MOST_UNPACKED + 2)]


def test_without_dask_it_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(VirtcatalogError) as caught:
        list(Workers("host:8786").results(multiplied, range(3), 2))
    assert str(caught.value) == (
        "dask://host:8786 needs dask.distributed, which is not installed: pip install 'virtcatalog[dask]'"
    )


@thorough
def test_connections_are_encrypted_as_dask_is_configured(tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    request = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=dask"]
    subprocess.run([*request, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    tls = {"ca-file": certificate}
    for role in ("client", "scheduler", "worker"):
        tls |= {f"{role}.key": key, f"{role}.cert": certificate}
    environment = {
        f"DASK_DISTRIBUTED__COMM__TLS__{name.upper().replace('.', '__')}": path for name, path in tls.items()
    }
    with started(tmp_path, DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION="true", **environment) as processes:
        assert processes.url.startswith("tls://")
        processes.worker()
        workers = Workers(processes.address)
        with dask.config.set({f"distributed.comm.tls.{name}": path for name, path in tls.items()}):
            assert list(workers.results(multiplied, range(3), 2)) == [0, 2, 4]
        with dask.config.set(SHORT), pytest.raises(UnreachableError):
            list(workers.results(multiplied, range(3), 2))


def run(*arguments):
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize("form", ["xml", "json", "vmi", "pod", "disks"])
def test_expand_prints_the_same(cluster, fleet, form):
    arguments = ["expand", "-f", fleet, "-c", CATALOG, "-o", form]
    here, there = run(*arguments), run(*arguments, "--executor", f"dask://{cluster.address}")
    assert (there.stdout, there.stderr, there.exit_code) == (here.stdout, here.stderr, here.exit_code)
    assert here.stderr.endswith("400 VMs: 342 admitted, 58 refused\n")


@thorough
def test_adopt_prints_the_same(cluster, fleet):
    arguments = ["adopt", "-f", fleet, "-c", CATALOG, "-o", "json"]
    here, there = run(*arguments), run(*arguments, "--executor", f"dask://{cluster.address}")
    assert (there.stdout, there.stderr, there.exit_code) == (here.stdout, here.stderr, here.exit_code)


@thorough
def test_diff_prints_the_same(cluster, fleet, tmp_path):
    old, new = (tmp_path / f"{name}.yaml" for name in ("old", "new"))
    for path, options in ((old, "{}"), (new, "{disableSerialConsoleLog: {}}")):
        configuration = f"configuration: {{virtualMachineOptions: {options}}}"
        path.write_text(
            f"apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {{name: kubevirt}}\nspec: {{{configuration}}}\n"
        )
    changed = ["diff", CATALOG, CATALOG, "-f", fleet, "--config", str(old), str(new), "--no-cache", "-o", "json"]
    here, there = run(*changed), run(*changed, "--executor", f"dask://{cluster.address}")
    assert (there.stdout, there.stderr, there.exit_code) == (here.stdout, here.stderr, here.exit_code)
    assert here.exit_code == 1


def command(fleet, address):
    words = [sys.executable, "-m", "virtcatalog", "expand", "-f", fleet, "-c", CATALOG, "-o", "json"]
    words += ["--executor", f"dask://{address}"]
    # Without a buffer, so that what is read line by line is not read ahead.
    return subprocess.Popen(
        words,
        bufsize=0,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a runner's jobs may ignore it
    )


@thorough
def test_a_worker_that_is_killed_in_the_run_changes_nothing_that_is_printed(tmp_path, fleet):
    with started(tmp_path) as processes:
        dying = processes.worker()
        processes.worker()
        expand = command(fleet, processes.address)
        first = expand.stdout.readline()
        dying.kill()
        dying.wait()
        rest, messages = expand.communicate()
    here = run("expand", "-f", fleet, "-c", CATALOG, "-o", "json")
    assert (first + rest).decode() == here.stdout
    assert messages.decode() == here.stderr
    assert expand.returncode == here.exit_code


@thorough
def test_an_interrupted_run_leaves_nothing_on_the_scheduler(cluster, fleet):
    from distributed import Client

    expand = command(fleet, cluster.address)
    assert expand.stdout.readline()
    expand.send_signal(signal.SIGINT)
    _, messages = expand.communicate()
    assert (expand.returncode, messages.decode().splitlines()[-1:]) == (130, ["interrupted"]), messages
    with Client(cluster.url, set_as_default=False) as client:
        while client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)):
            time.sleep(0.02)


class Interrupted:
    """What is interrupted as it goes: Python says so, and goes on."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_is_not_lost_in_a_destructor(workers):
    taken = []

    def take():
        for result in workers.results(multiplied, range(40), 7):
            taken.append(result)
            Interrupted()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a runner's jobs may ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            take()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert taken == [0]


@pytest.mark.parametrize(
    "name", ["dask", "dask://", "dask://host", "dask://host:port", "tcp://host:8786", "spark://x:1"]
)
def test_other_executors_are_refused(name):
    result = run("expand", "--executor", name)
    assert result.exit_code == 2
    assert f"'{name}' is neither local nor dask://HOST:PORT." in result.stderr


def test_a_scheduler_has_its_own_workers(fleet):
    result = run("expand", "-f", fleet, "-j", "2", "--executor", "dask://127.0.0.1:1")
    assert result.exit_code == 2
    assert "--jobs is about processes of this machine: a scheduler has its own workers" in result.stderr


def test_without_dask_it_says_what_to_install(fleet, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = run("expand", "-f", fleet, "-c", CATALOG, "--executor", "dask://127.0.0.1:1")
    assert result.exit_code == 2
    assert "dask.distributed, which is not installed: pip install 'virtcatalog[dask]'" in result.stderr


def test_dask_is_imported_only_where_it_is_asked_for(fleet):
    code = "import sys; from virtcatalog.cli import main; main(sys.argv[1:], standalone_mode=False)"
    code = f"import atexit, sys; atexit.register(lambda: print({{'dask', 'distributed'}} & set(sys.modules))); {code}"
    arguments = ["expand", "-f", fleet, "-c", CATALOG, "-o", "vm", "--executor", "local"]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert done.stdout.endswith("set()\n")


class Recorded(pickle.Unpickler):
    """Notes what a pickle has made when it is read: all that it can call."""

    def __init__(self, packed, names):
        super().__init__(io.BytesIO(packed))
        self._names = names

    def find_class(self, module, name):
        self._names.add((module.partition(".")[0], name))
        return super().find_class(module, name)


class Wire:
    """The pickle module as the client's side of a run uses it."""

    def __init__(self):
        self.sent, self.received = set(), set()

    def dumps(self, value):
        packed = pickle.dumps(value)
        Recorded(packed, self.sent).load()
        return packed

    def loads(self, packed):
        return Recorded(packed, self.received).load()


PICKLED = "cos\nsystem\n(S'touch pwned'\ntR."
STRANGE = f"""\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: a, annotations: {{x: {json.dumps(PICKLED)}}}, labels: {{module: os.system}}}}
spec: {{runStrategy: Always, template: {{spec: {{domain: {{memory: {{guest: 1Gi}}, devices: {{}}}}}}}}}}
"""


@pytest.mark.parametrize("arguments", [["expand", "-o", "json"], ["expand", "-o", "xml"], ["adopt", "-o", "json"]])
def test_only_our_own_types_are_sent_and_received_whatever_a_vm_says(cluster, tmp_path, monkeypatch, arguments):
    (tmp_path / "vm.yaml").write_text(STRANGE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("virtcatalog.fleet.workers.pickle", wire := Wire())
    run(*arguments, "-f", "vm.yaml", "-c", CATALOG, "--executor", f"dask://{cluster.address}")
    others = {(module, name) for module, name in wire.sent | wire.received if module != "virtcatalog"}
    assert others <= {("builtins", "getattr"), ("functools", "partial"), ("msgspec", "rebuild")}
    assert any(module == "virtcatalog" for module, _ in wire.sent)
    assert [path.name for path in tmp_path.iterdir()] == ["vm.yaml"]


def test_no_checkout_names_a_scheduler(tmp_path, monkeypatch):
    """Neither for us nor for Dask."""
    monkeypatch.chdir(tmp_path)
    Path("virtcatalog.toml").write_text('executor = "dask://127.0.0.1:1"\n')
    Path("vm.yaml").write_text(STRANGE)
    result = run("expand", "-f", "vm.yaml")
    assert result.exit_code == 2
    assert result.stderr.startswith("virtcatalog.toml:1:1: executor: unknown field")
    for name in ("dask.yaml", "distributed.yaml", ".config/dask/dask.yaml", "etc/dask/dask.yaml"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("scheduler-address: tcp://127.0.0.1:1\ndistributed: {client: {preload: [evil]}}\n")
    code = "import dask, distributed; print(dask.config.get('scheduler-address', None), dask.config.config)"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert "127.0.0.1:1" not in done.stdout + done.stderr
    assert "evil" not in done.stdout


def test_pickles_are_read_where_only_we_write_them():
    root = TESTS.parent / "generator/virtcatalog"
    reading = {str(path.relative_to(root)) for path in root.rglob("*.py") if "pickle.load" in path.read_text()}
    assert reading == {"fleet/workers.py", "fleet/pool.py", "cli/adopt.py"}
