// Copyright (C) Open Responses contributors
//
// Reads requests as Node does, in a server with Express' body-parser: see
// t/readers.t for lines and their form.

import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import bodyParser from 'body-parser';

const LEVELS = JSON.parse(process.argv[2]);

const parse = bodyParser.json({ limit: '16mb' });


function compare(a, b) {
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
}


function form(value) {
    if (value === null || value === undefined) {
        return 'n';
    }

    switch (typeof value) {
    case 'boolean':
        return value ? 't' : 'f';

    case 'number': {
        const bytes = Buffer.alloc(8);

        bytes.writeDoubleBE(value === 0 ? 0 : value);
        return 'd' + bytes.toString('hex');
    }

    case 'string':
        return 's' + Buffer.from(value.toWellFormed()).toString('hex');
    }

    if (Array.isArray(value)) {
        return '[' + value.map(form).join('') + ']';
    }

    return '{' + Object.keys(value).sort(compare)
        .map((key) => `${form(key)}=${form(value[key])};`).join('') + '}';
}


function members(object, level) {
    if (object === null || typeof object !== 'object') {
        return form(object);
    }

    let text = '';

    for (const [name, below] of LEVELS[level]) {
        const value = object[name];

        if (value !== null && value !== undefined) {
            text += `${name}=`
                + (below && Array.isArray(value)
                   ? '[' + value.map((v) => members(v, below)).join('') + ']'
                   : form(value)) + ';';
        }
    }

    return `{${text}}`;
}


function read(body) {
    const req = Readable.from([ body ], { objectMode: false });

    req.method = 'POST';
    req.url = '/v1/responses';
    req.headers = { 'content-type': 'application/json',
                    'content-length': String(body.length) };

    return new Promise((resolve) => parse(req, {}, (err) =>
        resolve(err ? '-' : members(req.body ?? {}, 'request'))));
}


for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(await read(Buffer.from(line, 'hex')) + '\n');
}
