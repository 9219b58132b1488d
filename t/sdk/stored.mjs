// Copyright (C) Open Responses contributors
//
// stored.mjs PACKAGE: what the server at $BASE keeps, through the SDK of that
// name.  Two customers who know nothing of each other.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE, noted, run, test } from './run.mjs';
import { OpenAI, fails } from './tests.mjs';

const customer = (apiKey) => new OpenAI({
    baseURL: process.env.BASE, apiKey, maxRetries: 0, timeout: PATIENCE });

const alice = customer('alice');
const bob = customer('bob');

const missing = (promise) => fails(promise, 'NotFoundError', 404,
                                   'not_found');


// nothing of a response is there for "who"

async function unseen(who, id) {
    await missing(who.responses.retrieve(id));
    await missing(who.responses.delete(id));
    await missing(who.responses.cancel(id));
    await missing((async () => who.responses.inputItems.list(id))());
}


async function ended(id) {
    for (;;) {
        const response = await alice.responses.retrieve(id);

        if (!['queued', 'in_progress'].includes(response.status)) {
            return response;
        }

        await sleep(20);
    }
}


test('a response is retrieved and deleted', async () => {
    const made = await alice.responses.create({ model: 'm', input: 'hi' });
    const got = await alice.responses.retrieve(made.id);

    assert.deepEqual(got, made);
    assert.equal(got.output_text, 'hi!');

    await unseen(bob, made.id);

    await alice.responses.delete(made.id);
    await unseen(alice, made.id);
});


test('its input is listed page by page', async () => {
    let last = null;

    for (const input of ['one', 'two', 'three']) {
        last = await alice.responses.create({
            model: 'm', input, previous_response_id: last?.id });
    }

    for (const order of ['asc', 'desc']) {
        const texts = [];

        for await (const item of alice.responses.inputItems.list(
            last.id, { limit: 2, order })) {
            assert.equal(item.type, 'message');
            assert.match(item.id, /^msg_/);
            assert.equal(item.status, 'completed');
            texts.push(item.content[0].text);
        }

        const all = ['one', 'one!', 'two', 'two!', 'three'];
        assert.deepEqual(texts, order === 'asc' ? all : all.reverse());
    }
});


test('one runs in the background', async () => {
    const begun = await alice.responses.create({
        model: 'm', input: 'later', background: true });

    assert.ok(['queued', 'in_progress'].includes(begun.status));
    assert.equal(begun.background, true);

    const done = await ended(begun.id);

    assert.equal(done.status, 'completed');
    assert.equal(done.id, begun.id);
    assert.equal(done.output_text, 'later!');

    const next = await alice.responses.create({
        model: 'm', input: 'on', previous_response_id: done.id });

    assert.equal(next.output_text, 'on!');

    assert.equal((await alice.responses.cancel(begun.id)).status,
                 'completed');
});


async function events(stream) {
    const all = [];

    for await (const event of await stream) {
        all.push(event);
    }

    return all;
}


test('a stream is read again, and after each event', async () => {
    const all = await events(alice.responses.create({
        model: 'm', input: 'hello', stream: true }));
    const { id } = all[0].response;

    assert.equal(all.at(-1).type, 'response.completed');
    assert.deepEqual(await events(alice.responses.retrieve(
        id, { stream: true })), all);

    for (const [n, event] of all.entries()) {
        assert.deepEqual(await events(alice.responses.retrieve(id, {
            stream: true, starting_after: event.sequence_number })),
                         all.slice(n + 1));
    }

    await missing(bob.responses.retrieve(id, { stream: true }));
    await fails(alice.responses.retrieve(id, {
        stream: true, starting_after: all.length }), 'BadRequestError', 400,
                'invalid_value');
});


test('a client leaves a stream in the background and comes back', async () => {
    let first = null;

    for await (const event of await alice.responses.create({
        model: 'm', input: 'hello', background: true, stream: true })) {
        first = event;
        break;
    }

    assert.equal(first.type, 'response.created');
    assert.equal(first.response.status, 'queued');

    const { id } = first.response;
    const rest = await events(alice.responses.retrieve(id, {
        stream: true, starting_after: first.sequence_number }));

    assert.equal(rest.at(-1).type, 'response.completed');
    assert.equal(rest.filter((e) => e.type === 'response.output_text.delta')
        .map((e) => e.delta).join(''), 'hello!');
    assert.deepEqual(await events(alice.responses.retrieve(
        id, { stream: true })), [first, ...rest]);
    assert.deepEqual(await ended(id), await alice.responses.retrieve(id));
});


test('one is cancelled', async () => {
    const name = `${process.argv[2]}-cancel`;
    const begun = await alice.responses.create({
        model: 'm', input: `wait ${name}`, background: true });

    await missing(bob.responses.cancel(begun.id));

    for (let i = 0; i < 2; i++) {
        const stopped = await alice.responses.cancel(begun.id);

        assert.equal(stopped.status, 'cancelled');
        assert.equal(stopped.id, begun.id);
    }

    await noted(`${name}-gone`);
    assert.equal((await ended(begun.id)).status, 'cancelled');
});


test('one is deleted while it runs', async () => {
    const name = `${process.argv[2]}-delete`;
    const begun = await alice.responses.create({
        model: 'm', input: `wait ${name}`, background: true });

    await alice.responses.delete(begun.id);
    await noted(`${name}-gone`);
    await unseen(alice, begun.id);
});


test('one that was waited for cannot be cancelled', async () => {
    const made = await alice.responses.create({ model: 'm', input: 'hi' });

    await fails(alice.responses.cancel(made.id), 'BadRequestError', 400,
                'invalid_value');
});


await run();
