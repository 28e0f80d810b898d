"""A server that plays Prometheus: it answers the queries of an import, and fails as it is told."""

from __future__ import annotations

import json
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

Labels = dict[str, str]
Value = Callable[[int], float | None]
"""Value of a series at a time; None where it has none."""

_MATCH = re.compile(r'(\w+)(=~?)"((?:[^"\\]|\\.)*)"')
_MAX = re.compile(r"max by \(([^)]*)\) \((.*)\)", re.DOTALL)
_DISTINCT = re.compile(r"count\(count by \((\w+)\) \((.*)\)\)", re.DOTALL)


class Series(NamedTuple):
    labels: Labels
    value: Value


class Asked(NamedTuple):
    """One request."""

    path: str
    parameters: dict[str, str]
    headers: Mapping[str, str]


class Fault(NamedTuple):
    """What a request gets in place of its answer."""

    status: int = 200
    body: bytes = b'{"status": "error", "errorType": "x", "error": "too busy"}'
    kind: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    cut: bool = False
    """Whether the connection ends in the middle of the body."""
    pause_s: float = 0.0
    """Before each byte of the body."""


class FakePrometheus:
    """Series, faults and what was asked."""

    def __init__(self, series: list[Series]) -> None:
        self.series, self.asked = series, list[Asked]()
        self.faults: list[Fault | None] = []
        """What the next requests of a range get; None for their answer."""
        self.said: dict[str, Any] = {}
        """Keys of the envelope besides those of the answer."""
        self.prefix = ""
        self.url = ""

    @property
    def ranges(self) -> list[Asked]:
        return [asked for asked in self.asked if asked.path.endswith("/query_range")]

    def answer(self, path: str, asked: dict[str, str]) -> Any:
        if path.startswith("label/") or path == "labels":
            series = self._selected(asked["match[]"])
            if path == "labels":
                return sorted({name for one in series for name in one.labels})
            label = path.split("/")[1]
            return sorted({one.labels[label] for one in series if label in one.labels})
        if path == "query":
            inner = asked["query"].removeprefix("count(").removesuffix(")")
            count = len(self._evaluated(inner, int(asked["time"])))
            value = [int(asked["time"]), str(count)]
            return {"resultType": "vector", "result": [{"metric": {}, "value": value}]}
        start, end, step = (int(asked[name]) for name in ("start", "end", "step"))
        if (end - start) // step > 11_000:
            raise AssertionError("exceeded maximum resolution of 11,000 points per timeseries")
        rows: dict[tuple[tuple[str, str], ...], list[Any]] = {}
        for at in range(start, end + 1, step):
            for labels, value in self._evaluated(asked["query"], at):
                rows.setdefault(tuple(labels.items()), []).append([at, f"{value:.15g}"])
        result = [{"metric": dict(key), "values": values} for key, values in rows.items()]
        return {"resultType": "matrix", "result": result}

    def _evaluated(self, query: str, at: int) -> list[tuple[Labels, float]]:
        if match := _DISTINCT.fullmatch(query):
            values = {one.labels.get(match[1]) for one in self._selected(match[2], at)}
            return [({}, float(len(values)))] if values else []
        match = _MAX.fullmatch(query)
        assert match is not None, query
        by = match[1].split(", ")
        greatest: dict[tuple[tuple[str, str], ...], float] = {}
        for one in self._selected(match[2], at):
            key = tuple((name, one.labels[name]) for name in by if name in one.labels)
            value = one.value(at)
            assert value is not None
            greatest[key] = max(value, greatest.get(key, value))
        return [(dict(key), value) for key, value in greatest.items()]

    def _selected(self, selector: str, at: int | None = None) -> list[Series]:
        name, _, rest = selector.partition("{")
        wanted = [(label, kind, _plain(text)) for label, kind, text in _MATCH.findall(rest)]
        if name:
            wanted.append(("__name__", "=", name))
        found = [
            one
            for one in self.series
            if all(_has(one.labels.get(label, ""), kind, text) for label, kind, text in wanted)
        ]
        return found if at is None else [one for one in found if one.value(at) is not None]


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "r": "\r"}.get(m[1], m[1]), text)


def _has(value: str, kind: str, text: str) -> bool:
    return value == text if kind == "=" else re.fullmatch(text, value) is not None


@contextmanager
def served(fake: FakePrometheus, context: ssl.SSLContext | None = None) -> Iterator[FakePrometheus]:
    """Serve until the body ends, by https if a context is given."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            values = {name: value[0] for name, value in parse_qs(url.query).items()}
            fake.asked.append(Asked(url.path, values, dict(self.headers)))
            path = url.path.removeprefix(f"{fake.prefix}/api/v1/")
            fault = None
            if path == "query_range" and fake.faults:
                fault = fake.faults.pop(0)
            if path == url.path:
                fault = Fault(404, b"not here", "text/plain")
            if fault is None:
                content = {"status": "success", "data": fake.answer(path, values), **fake.said}
                fault = Fault(body=json.dumps(content).encode())
            self.send(fault)

        def send(self, fault: Fault) -> None:
            self.send_response(fault.status)
            self.send_header("Content-Type", fault.kind)
            self.send_header("Content-Length", str(len(fault.body)))
            for name, value in fault.headers:
                self.send_header(name, value)
            self.end_headers()
            body = fault.body[: len(fault.body) // 2] if fault.cut else fault.body
            try:
                for place in range(0, len(body), 1 if fault.pause_s else max(1, len(body))):
                    time.sleep(fault.pause_s)
                    end = place + 1 if fault.pause_s else len(body)
                    self.wfile.write(body[place:end])
                    self.wfile.flush()
            except OSError:
                pass

        def log_message(self, *arguments: object) -> None:
            pass

    server = _server(Handler, context)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()


def _server(
    handler: type[BaseHTTPRequestHandler], context: ssl.SSLContext | None
) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    return server
