#!/usr/bin/env python3

# A store for "open_responses_store NAME location:/PATH/", over SQLite:
#
#     python3 store.py 127.0.0.1:9000 /var/lib/responses.db
#
# What it has answered to is on the disk, and stays there when it is killed.

import sqlite3
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

lock = threading.Lock()
db = sqlite3.connect(sys.argv[2], isolation_level=None,
                     check_same_thread=False)

db.execute("PRAGMA journal_mode = WAL")
db.execute("PRAGMA synchronous = FULL")
db.execute("CREATE TABLE IF NOT EXISTS entries"
           " (key TEXT PRIMARY KEY, expires INTEGER, value BLOB)")
db.execute("CREATE INDEX IF NOT EXISTS by_end ON entries (expires)")


def run(sql, *args):
    """The rows, and how many were changed."""
    with lock:
        db.execute("DELETE FROM entries WHERE expires <= ?", (time.time(),))
        cursor = db.execute(sql, args)
        return cursor.fetchall(), cursor.rowcount


class Store(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65536

    def answer(self, status, value=b"", expires=None):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(value)))
        if expires:
            self.send_header("Store-Expires", str(expires))
        self.end_headers()
        self.wfile.write(value)

    def do_GET(self):
        rows, _ = run("SELECT value, expires FROM entries WHERE key = ?",
                      self.path)
        self.answer(200, *rows[0]) if rows else self.answer(404)

    def do_PUT(self):
        value = self.rfile.read(int(self.headers["Content-Length"]))
        expires = int(self.headers["Store-Expires"])

        if self.headers["If-Match"]:            # only its end is set
            _, n = run("UPDATE entries SET expires = ? WHERE key = ?",
                       expires, self.path)
            self.answer(204 if n else 404)

        elif self.headers["If-None-Match"]:     # only if it is not there
            _, n = run("INSERT OR IGNORE INTO entries VALUES (?, ?, ?)",
                       self.path, expires, value)
            self.answer(201 if n else 412)

        else:
            run("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)",
                self.path, expires, value)
            self.answer(204)

    def do_DELETE(self):
        _, n = run("DELETE FROM entries WHERE key = ?", self.path)
        self.answer(204 if n else 404)

    def log_message(self, *args):
        pass


host, port = sys.argv[1].split(":")
ThreadingHTTPServer.request_queue_size = 512
ThreadingHTTPServer((host, int(port)), Store).serve_forever()
