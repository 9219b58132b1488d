// Copyright (C) Open Responses contributors
//
// Documents made from the schemas of an OpenAPI file, as trees whose nodes
// know their schema, and mutants of such documents.
//
//     const make = new Documents(openapi, seed);
//
//     make.least(schema)       what must be there and no more
//     make.most(schema)        all members, an element in each array
//     make.each(schema)        trees that differ from those in one place
//     make.any(schema)         chosen by chance
//     make.mutants(tree)       [name, path, text] of each mutation of a node
//                              that is "fresh": one that each() came to first
//     make.mutant(tree)        one of any node, chosen by chance
//     write(tree), expand(text)
//
// Texts are JSON with "\x01N:text\x01" for N times a text, until expanded.

const KNOWN = new Set([
    'type', 'properties', 'required', 'enum', 'items', 'additionalProperties',
    'maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties',
    'maximum', 'minimum', 'pattern', 'default', 'description', 'title',
    'discriminator', 'example',
]);

// a text of more characters is made once for each place in the schemas

const LONG = 4096;

const WORDS = ['x', 'Za\u017c\u00f3\u0142\u0107', '\u{1f642}',
               '\\ud83d\\ude00', 'a\\n\\"\\u0000\\/', '\\ud800'];

const SCRIPTS = ['a', '\u00e9', '\u{1f642}', '\\ud83d\\ude00', '\\n'];

const NUMBERS = ['0', '1', '-1.5', '0.5', '1e2', '2E+2', '-0', '1e-2',
                 '12345678901234567890.5'];

const INTEGERS = ['0', '-1', '7.0', '1e2', '120e-1', '-0', '0.0',
                  '9007199254740993', '9223372036854775807',
                  '-9223372036854775808', '9223372036854775808',
                  '-9223372036854775809', '123456789012345678901234567890',
                  '1e30', '-10E29'];

// a value of each type, and some that look like others

const OTHERS = [
    ['boolean', 'true'], ['boolean', 'false'], ['number', '7'],
    ['number', '-0.5'], ['string', '"text"'], ['string', '""'],
    ['string', '"7"'], ['string', '"null"'], ['array', '[]'],
    ['array', '["text"]'], ['object', '{}'],
    ['object', '{"type":"text","text":"a"}'],
];

const EXTENSIONS = ['acme:thing', 'a:b:c', ':thing', 'acme:', ':'];

export const repeat = (n, text) => `\x01${n}:${text}\x01`;

export const expand = (text) => text.replace(
    /\x01(\d+):([^\x01]*)\x01/g, (all, n, what) => what.repeat(n));


const scalar = (schema, text, fresh) => ({ schema, text, fresh });
const list = (schema, items, fresh) => ({ schema, items, fresh });
const object = (schema, members, fresh) => ({ schema, members, fresh });


// "instead" maps nodes to what is written for them, undefined: nothing

export function write(node, instead) {
    if (instead?.has(node)) return instead.get(node);
    if (node.text !== undefined) return node.text;

    if (node.items) {
        return `[${node.items.map((n) => write(n, instead))
                             .filter((t) => t !== undefined).join(',')}]`;
    }

    const members = [];

    for (const [key, value] of node.members) {
        const text = write(value, instead);

        if (text !== undefined) members.push(`"${key}":${text}`);
    }

    return `{${members.join(',')}}`;
}


function* walk(node, path = '', key = null) {
    yield { node, path, key };

    for (const [i, item] of (node.items ?? []).entries()) {
        yield* walk(item, `${path}[${i}]`);
    }

    for (const [name, value] of node.members ?? []) {
        yield* walk(value, path === '' ? name : `${path}.${name}`, name);
    }
}


function typeOf(node) {
    if (node.items) return 'array';
    if (node.members) return 'object';

    return { '"': 'string', t: 'boolean', f: 'boolean', n: 'null',
             '{': 'object', '[': 'array' }[node.text[0]] ?? 'number';
}


export class Documents {
    #schemas;
    #state;
    #branches = new Map();
    #long = new Set();
    #constants = { type: new Set(), role: new Set(), object: new Set() };


    constructor(openapi, seed) {
        this.#schemas = openapi.components.schemas;
        this.#state = seed;

        for (const schema of Object.values(this.#schemas)) {
            for (const name of Object.keys(this.#constants)) {
                const property = schema.properties?.[name];

                for (const value of this.branches(property ?? {})
                         .flatMap((branch) => branch.enum ?? [])) {
                    this.#constants[name].add(value);
                }
            }
        }
    }


    // the same numbers in each run, below n

    #chance(n) {
        this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
        return Math.floor(this.#state / 2 ** 32 * n);
    }


    #one(values) {
        return values[this.#chance(values.length)];
    }


    // a schema without references, wrappers and unions

    branches(schema) {
        let found = this.#branches.get(schema);

        if (!found) {
            found = this.#resolve(schema);
            this.#branches.set(schema, found);
        }

        return found;
    }


    #resolve(schema) {
        const union = schema.anyOf ?? schema.oneOf;

        if (schema.$ref) {
            return this.branches(this.#schemas[schema.$ref.split('/').pop()]);
        }

        if (schema.allOf) {
            const parts = schema.allOf.filter((part) => Object.keys(part).some(
                (key) => key !== 'description'));

            if (parts.length !== 1) throw new Error('allOf of several schemas');

            return this.branches(parts[0]);
        }

        if (union) return union.flatMap((branch) => this.branches(branch));

        for (const key of Object.keys(schema)) {
            if (!KNOWN.has(key) && !key.startsWith('x-')) {
                throw new Error(`a new keyword: ${key}`);
            }
        }

        return [schema];
    }


    #branch(schema) {
        const branches = this.branches(schema);

        return branches.find((branch) => branch.type !== 'null')
               ?? branches[0];
    }


    // the members of an object that may have any

    #map(branch) {
        return branch.type === 'object'
               && Object.keys(branch.properties ?? {}).length === 0
               ? branch.additionalProperties ?? true : null;
    }


    least(schema, fresh = false) {
        const branch = this.#branch(schema);

        switch (branch.type) {

        case 'array':
            return list(branch, Array.from(
                { length: branch.minItems ?? 0 },
                () => this.least(branch.items, fresh)), fresh);

        case 'object':
            return object(branch, (branch.required ?? []).map((name) =>
                [name, this.least(branch.properties[name], fresh)]), fresh);

        default:
            return scalar(branch, this.#texts(branch)[0], fresh);
        }
    }


    most(schema, fresh = false) {
        const branch = this.#branch(schema);
        const map = this.#map(branch);

        if (branch.type === 'array') {
            return list(branch, [this.most(branch.items, fresh)], fresh);
        }

        if (branch.type !== 'object') {
            return scalar(branch, this.#texts(branch)[0], fresh);
        }

        if (map) {
            return object(branch, [['key', typeof map === 'object'
                ? this.most(map, fresh)
                : scalar({}, '{"a":[null,{"b":1.50}]}', fresh)]], fresh);
        }

        return object(branch, Object.entries(branch.properties).map(
            ([name, property]) => [name, this.most(property, fresh)]), fresh);
    }


    // JSON texts of a scalar; the first one is an ordinary one

    #texts(branch) {
        switch (branch.type) {

        case 'null':
            return ['null'];

        case 'boolean':
            return ['true', 'false'];

        case 'number':
            return NUMBERS;

        case 'integer':
            return this.#integers(branch);

        case 'string':
            return this.#strings(branch);

        case undefined:
            return ['{}', 'null', 'true', '0', '-1.5', '"text"', '[]', '[1]',
                    '{"key":"value"}'];
        }

        throw new Error(`a new type: ${branch.type}`);
    }


    #integers({ minimum: low, maximum: high }) {
        if (low === undefined && high === undefined) return INTEGERS;

        const most = high ?? 1000000;
        const texts = [low, low + 1, most - 1, most].map(String);

        texts.push(`${low}.0`, `${low + 1}00e-2`, `${low + 5}.000E+0`);

        if (high === undefined) {
            texts.push(...INTEGERS.filter((text) => text >= low));
        }

        return texts;
    }


    #strings({ enum: values, pattern, minLength = 0, maxLength: max }) {
        if (values) {
            const code = values[0].charCodeAt(0).toString(16);

            return [...values.map((value) => `"${value}"`),
                    `"\\u00${code}${values[0].slice(1)}"`];
        }

        if (pattern) {
            return ['"get_weather-1"', '"AZaz09_-"', '"\\u0041b"', '"a"',
                    `"${repeat(max, 'a')}"`, `"${repeat(max, '\\u0061')}"`];
        }

        const texts = WORDS.map((word) => `"${word}"`);

        if (minLength === 0) texts.push('""');

        if (max <= LONG) {
            texts.push(...SCRIPTS.map((s) => `"${repeat(max, s)}"`));
        }

        return texts;
    }


    // all that lies in a tree that is new is fresh

    *each(schema) {
        let first = true;

        for (const branch of this.branches(schema)) {

            switch (branch.type) {

            case 'array':
                yield* this.#lists(branch);
                break;

            case 'object':
                yield* this.#objects(branch);
                break;

            default:
                for (const text of this.#texts(branch)) {
                    yield scalar(branch, text, first);
                    first = false;
                }

                yield* this.#longest(branch);
                first = true;
            }
        }
    }


    *#longest(branch) {
        if (!(branch.maxLength > LONG) || this.#long.has(branch)) return;

        this.#long.add(branch);
        yield scalar(branch, `"${repeat(branch.maxLength, '\u00e9')}"`, 'long');
    }


    *#lists(branch) {
        const { items, minItems = 0, maxItems } = branch;
        const several = (n) => list(branch, Array.from(
            { length: n }, (_, i) => (i % 2 ? this.least(items)
                                            : this.most(items))));

        if (minItems === 0) yield list(branch, [], true);

        for (const item of this.each(items)) {
            yield list(branch, [item], item.fresh === true);
        }

        yield several(2);
        yield several(3);
        if (maxItems) yield several(maxItems);
    }


    *#objects(branch) {
        const map = this.#map(branch);

        if (map) {
            yield* this.#maps(branch, map);
            return;
        }

        const required = new Set(branch.required ?? []);

        yield this.least(branch, true);
        yield this.most(branch, true);

        for (const [name, property] of Object.entries(branch.properties)) {

            for (const value of this.each(property)) {
                const tree = this.least(branch);

                tree.members = tree.members.filter(([key]) => key !== name);
                tree.members.splice(this.#chance(tree.members.length + 1), 0,
                                    [name, value]);
                yield tree;
            }

            if (!required.has(name)) {
                const tree = this.most(branch);

                tree.members = tree.members.filter(([key]) => key !== name);
                yield tree;
            }
        }
    }


    *#maps(branch, map) {
        yield object(branch, [], true);
        yield this.most(branch, true);

        if (typeof map !== 'object' || !map.type) return;

        for (const value of this.each(map)) {
            yield object(branch, [['key', value]]);
        }

        for (const key of ['', '\u{1f642}', '\\u0061', repeat(64, '\u00e9'),
                           repeat(65, '\u00e9')]) {
            yield object(branch, [[key, this.least(map)]]);
        }

        const most = branch.maxProperties ?? 3;

        yield object(branch, Array.from(
            { length: most }, (_, i) => [`key${i}`, this.least(map)]), 'full');
    }


    any(schema) {
        const branch = this.#one(this.branches(schema));
        const map = this.#map(branch);

        if (branch.type === 'array') {
            const n = Math.max(this.#chance(4), branch.minItems ?? 0);

            return list(branch, Array.from(
                { length: n }, () => this.any(branch.items)));
        }

        if (branch.type !== 'object') {
            return scalar(branch, this.#one(this.#texts(branch)));
        }

        if (map) {
            return this.#chance(2) ? object(branch, []) : this.most(branch);
        }

        const required = new Set(branch.required ?? []);

        return object(branch, Object.entries(branch.properties)
            .filter(([name]) => required.has(name) || this.#chance(2))
            .map(([name, property]) => [name, this.any(property)]));
    }


    // mutations


    *mutants(tree) {
        for (const { node, path, key } of walk(tree)) {
            if (!node.fresh) continue;

            for (const [name, text] of this.#changes(node, key)) {
                yield [name, path, write(tree, new Map([[node, text]]))];
            }
        }
    }


    mutant(tree) {
        const { node, path, key } = this.#one([...walk(tree)]);
        const [name, text] = this.#one([...this.#changes(node, key)]);

        return [name, path, write(tree, new Map([[node, text]]))];
    }


    // [name, what is written in place of the node]

    *#changes(node, key) {
        const text = write(node);
        const type = typeOf(node);

        if (node.fresh === 'long') {
            yield* this.#limits(node);
            return;
        }

        if (key !== null) yield ['removed', undefined];
        if (type !== 'null') yield ['null', 'null'];

        for (const [other, value] of OTHERS) {
            if (other !== type) yield ['wrong type', value];
        }

        yield* this.#limits(node);
        yield* this.#nestings(node, text, type);

        if (node.schema.enum) yield* this.#values(node.schema.enum, key);

        if (type === 'object' && node.members) {
            yield* this.#members(node);
        }
    }


    *#limits({ schema, items, members }) {
        const { minLength, maxLength, minimum, maximum, minItems, maxItems,
                maxProperties, type } = schema;

        if (maxLength) {
            const scripts = schema.pattern || maxLength > LONG ? ['a']
                                                               : SCRIPTS;

            for (const script of scripts) {
                yield ['over limit', `"${repeat(maxLength + 1, script)}"`];
            }
        }

        if (minLength) yield ['under minimum', '""'];

        if (maximum !== undefined) {
            yield ['over limit', `${maximum + 1}`];
            yield ['over limit', '9223372036854775808'];
        }

        if (minimum !== undefined) {
            yield ['under minimum', `${minimum - 1}`];
            yield ['under minimum', `${minimum - 1}.0`];
            yield ['under minimum', '-9223372036854775809'];
        }

        if (type === 'integer') {
            for (const text of ['16.5', '165e-1', '1e-1', '0.1']) {
                yield ['fraction', text];
            }
        }

        if (type === 'integer' || type === 'number') {
            for (const text of ['1e400', '-1e400']) {
                yield ['beyond a double', text];
            }
        }

        if (type === 'integer') {
            for (const text of ['30.00000000000000000001', '1e-400']) {
                yield ['beyond a double', text];
            }
        }

        if (items && maxItems) {
            const item = write(this.least(schema.items));

            yield ['over limit', `[${Array(maxItems + 1).fill(item)}]`];
        }

        if (items && minItems) yield ['under minimum', '[]'];

        if (members && maxProperties) {
            const value = write(this.least(schema.additionalProperties));

            yield ['over limit', `{${Array.from(
                { length: maxProperties + 1 }, (_, i) => `"k${i}":${value}`)}}`];
        }
    }


    *#nestings(node, text, type) {
        yield ['wrong nesting', `[${text}]`];
        yield ['wrong nesting', `{"value":${text}}`];

        if (type === 'object' || type === 'array') {
            yield ['wrong nesting', JSON.stringify(text)];
        }

        if (node.items?.length) {
            yield ['wrong nesting', write(node.items[0])];
            yield ['wrong nesting', `{"0":${write(node.items[0])}}`];
        }

        if (node.members?.length) {
            yield ['wrong nesting', write(node.members[0][1])];
            yield ['wrong nesting', `[${node.members.map(
                ([, value]) => write(value))}]`];
        }
    }


    *#values(values, key) {
        yield ['wrong value', '"bogus"'];
        yield ['wrong value', '""'];
        yield ['wrong value', `"${values[0]} "`];
        yield ['wrong value', `"${values[0].toUpperCase()}"`];
        yield ['wrong value', `"${values[0].slice(0, -1)}"`];
        yield ['wrong value', `"${values[0]}\\u0000"`];

        if (this.#constants[key]) {
            for (const value of this.#constants[key]) {
                if (!values.includes(value)) {
                    yield ['other ' + key, `"${value}"`];
                }
            }
        }

        if (key === 'type') {
            for (const value of EXTENSIONS) yield ['extension', `"${value}"`];
        }
    }


    *#members(node) {
        const members = write(node).slice(1, -1);
        const comma = members === '' ? '' : ',';

        yield ['extra key', `{${members}${comma}"x_unknown":[null,{}]}`];
        yield ['extra key', `{"acme:thing":"text"${comma}${members}}`];
        yield ['extra key', `{"":0${comma}${members}}`];

        if (!node.schema.properties?.type) return;

        for (const more of ['', ',"id":"x"', ',"status":"completed"',
                            ',"id":"x","status":"completed"',
                            ',"id":null,"status":7',
                            ',"sequence_number":3',
                            ',"sequence_number":"3"']) {
            yield ['extension', `{"type":"acme:thing"${more}}`];
        }
    }
}
