"""Runs the tests in several processes that are forked after the tests are collected, where the system has `os.fork`.

A plugin of pytest: ``pytest -p tests.forked_run --processes auto``. With pytest-xdist each process collects all tests
and imports what they import, and five messages are sent for a test, which takes two thirds of its processor time.
"""

import multiprocessing
import multiprocessing.util
import os
import signal
import traceback
import warnings
from itertools import groupby
from multiprocessing.connection import wait
from operator import attrgetter

import pytest

INDEX_BYTES = 4


def pytest_addoption(parser):
    parser.addoption("--processes", default="1", help="number of test processes; auto: by the number of cores")


def number_of_processes(value):
    """Five processes for two cores with ``auto``: a third of the time tests wait for timers and processes.

    With independent waits, three processes keep two cores busy for 85 % of the time, which agrees with the time that a
    run of three takes, four for 94 % and five for 98 %.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores * 2 + 1 if value == "auto" else int(value)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    """Run the tests of a file in one process; each process takes the next file when it has finished one."""
    options = session.config.option
    count = number_of_processes(options.processes)
    has_xdist = hasattr(session.config, "workerinput") or getattr(options, "numprocesses", None)
    if count < 2 or has_xdist or options.collectonly or options.usepdb or session.testsfailed or not session.items:
        return None  # another loop
    files = [list(items) for _, items in groupby(session.items, key=attrgetter("path"))]
    queue, places = os.pipe()  # with the places of files that no process has taken
    os.write(places, b"".join(place.to_bytes(INDEX_BYTES, "big") for place in range(len(files))))
    os.close(places)
    session.config._tmp_path_factory.getbasetemp()
    processes = {}
    for _ in range(min(count, len(files))):
        reader, writer = multiprocessing.Pipe(duplex=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.12: pyarrow has started a thread
            process = os.fork()
        if process == 0:
            _run_and_exit(session, files, queue, writer)
        writer.close()
        processes[reader] = process
    os.close(queue)
    _report(session, files, processes)
    return True


def _run_and_exit(session, files, queue, writer):
    status = 1
    try:
        _run_files(session, files, queue, writer)
        multiprocessing.util._exit_function()  # ends the workers of this process
        status = 0
    except (KeyboardInterrupt, BrokenPipeError):
        pass  # the first process ends the run
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _run_files(session, files, queue, writer):
    """Run files of the queue and send the reports of each one, in a forked process."""
    config = session.config
    captures = config.pluginmanager.getplugin("capturemanager")
    captures.stop_global_capturing()  # its files are those of the first process
    captures.start_global_capturing()
    captures.suspend_global_capture()
    temporary = config._tmp_path_factory.getbasetemp()
    config.pluginmanager.unregister(name="terminalreporter")
    recorder = ReportRecorder(config)
    config.pluginmanager.register(recorder)
    while place := os.read(queue, INDEX_BYTES):
        place = int.from_bytes(place, "big")
        # A folder for each file: pytest lists the folders of all tests before it makes another one.
        config._tmp_path_factory._basetemp = temporary / str(place)
        config._tmp_path_factory._basetemp.mkdir()
        results = []
        *before, last = files[place]
        # After the last test, only fixtures of the session remain.
        for item, following in [*zip(before, files[place][1:], strict=True), (last, session)]:
            recorder.reports = []
            config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            results.append((item.nodeid, item.location, recorder.reports))
            if session.shouldfail or session.shouldstop:
                break
        writer.send((place, results))
        if session.shouldfail or session.shouldstop:
            break
    session._setupstate.teardown_exact(None)
    captures.stop_global_capturing()  # shows what is printed from now on


class ReportRecorder:
    """Keeps the reports of a test in a form that can be sent."""

    def __init__(self, config):
        self.config = config
        self.reports = []

    def pytest_runtest_logreport(self, report):
        self.config.hook.pytest_report_teststatus(report=report, config=self.config)  # a failed subtest fails its test
        if report.when == "call" or not report.passed or report.sections:
            self.reports.append(self.config.hook.pytest_report_to_serializable(config=self.config, report=report))


def _report(session, files, processes):
    """Hand the reports of the processes to pytest, as if the tests had run in this one, and wait for their end."""
    missing, open_readers = set(range(len(files))), list(processes)
    try:
        while open_readers:
            for reader in wait(open_readers):
                try:
                    place, results = reader.recv()
                except EOFError:
                    open_readers.remove(reader)
                    continue
                missing.discard(place)
                _report_file(session, results)
    except BaseException:
        for process in processes.values():
            os.kill(process, signal.SIGTERM)
        raise
    finally:
        statuses = [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in processes.values()]
        for reader in processes:
            reader.close()
    if missing or any(statuses):
        names = sorted(files[place][0].nodeid.split("::")[0] for place in missing)
        session.shouldfail = (
            f"test processes ended with {statuses}, without results of: {', '.join(names) or 'no file'}"
        )
        raise session.Failed(session.shouldfail)


def _report_file(session, results):
    config, hook = session.config, session.config.hook
    for nodeid, location, reports in results:
        hook.pytest_runtest_logstart(nodeid=nodeid, location=location)
        for data in reports:
            hook.pytest_runtest_logreport(report=hook.pytest_report_from_serializable(config=config, data=data))
        hook.pytest_runtest_logfinish(nodeid=nodeid, location=location)
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)
