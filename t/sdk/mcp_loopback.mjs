// Copyright (C) Open Responses contributors
//
// node --import mcp_loopback.mjs PROGRAM: a program that listens at all
// addresses listens at 127.0.0.1 only.  It asks for its port right after
// listen(), so the address must be known at once.

import dns from 'node:dns';
import { Server } from 'node:net';

const { listen } = Server.prototype;

dns.lookup = (address, options, done) => done(null, [{ address, family: 4 }]);

Server.prototype.listen = function (port, ...rest) {
    return listen.call(this, port, '127.0.0.1', ...rest);
};
