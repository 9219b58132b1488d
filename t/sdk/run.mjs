// Copyright (C) Open Responses contributors
//
// run.mjs: what tests of all clients have in common.

import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

// cities that aimock's calls ask for, in this order

export const CITIES = ['Paris', 'Tokyo', 'San José'];

// and what the call of a custom tool brings

export const CODE = 'say "café\\t🙂"\n\tthen stop\n';

// milliseconds that an answer may take

export const PATIENCE = 20000;

const tests = [];

export const test = (name, body) => tests.push({ name, body });


export async function collect(stream) {
    const events = [];

    for await (const event of stream) events.push(event);
    return events;
}


// the upstream has left this note: its peer is gone

export async function noted(name) {
    for (const end = Date.now() + PATIENCE; Date.now() < end;) {
        if (existsSync(`${process.env.DIR}/${name}`)) return;
        await sleep(5);
    }

    throw new Error(`never came: ${name}`);
}


const late = () => sleep(2 * PATIENCE, undefined, { ref: false })
    .then(() => { throw new Error('takes too long'); });

const tell = (line) => process.stdout.write(JSON.stringify(line) + '\n');


// all tests, in turn; a line for each, as ORS::SDK reads them, and no return

export async function run() {
    for (const { name, body } of tests) {
        try {
            await Promise.race([body(), late()]);
            tell({ ok: 1, name });

        } catch (error) {
            tell({ ok: 0, name, why: error.stack ?? String(error) });
        }
    }

    tell({ plan: tests.length });
    process.exit(0);
}
