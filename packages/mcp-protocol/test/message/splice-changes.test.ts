import type { MessageChange } from '@portolan/plugin-api';
import { expect } from 'chai';
import fc from 'fast-check';
import { spliceChanges } from '../../src/message/splice-changes.ts';

const TEXT =
  '{ "id":1, "params" : {"name":"a","arguments":{ "n":1.0 ,"big":9007199254740993}}, "list":[ 1, {"a":2} , 3 ]}';

describe('spliceChanges', () => {
  const rows: readonly (readonly [title: string, changes: readonly MessageChange[], after: string])[] = [
    ['nothing', [], TEXT],
    ['a value', [{ path: ['params', 'arguments', 'n'], json: '{"x":2}' }], TEXT.replace('1.0', '{"x":2}')],
    [
      'a member that is added',
      [{ path: ['params', 'arguments', 'ü"'], json: 'null' }],
      TEXT.replace('9007199254740993', '9007199254740993,"ü\\"":null'),
    ],
    ['the first member', [{ path: ['id'], json: undefined }], TEXT.replace('"id":1, ', '')],
    ['the last element', [{ path: ['list', 2], json: undefined }], TEXT.replace(' , 3', '')],
    [
      'every element, in any order, and a value beside them',
      [
        { path: ['list', 2], json: undefined },
        { path: ['list', 0], json: undefined },
        { path: ['list', 1], json: undefined },
        { path: ['id'], json: '2' },
      ],
      TEXT.replace('1, {"a":2} , 3', '').replace('"id":1', '"id":2'),
    ],
    [
      'all members, for others',
      [
        { path: ['params', 'name'], json: undefined },
        { path: ['params', 'arguments'], json: undefined },
        { path: ['params', 'uri'], json: '"u"' },
      ],
      TEXT.replace(/"name".*\}\}, /, '"uri":"u"}, '),
    ],
  ];
  for (const [title, changes, after] of rows) {
    it(`changes ${title}, and no other character`, () => {
      expect(spliceChanges(TEXT, changes)).to.equal(after);
    });
  }

  const faults: readonly (readonly [title: string, changes: readonly MessageChange[]])[] = [
    ['an empty path', [{ path: [], json: '1' }]],
    ['a place below what is no object', [{ path: ['id', 'x'], json: '1' }]],
    ['a place below what is not there', [{ path: ['nothing', 'x'], json: '1' }]],
    ['a name in an array', [{ path: ['list', '0'], json: '1' }]],
    ['an element after the last', [{ path: ['list', 3], json: '1' }]],
    ['a member to take away that is not there', [{ path: ['nothing'], json: undefined }]],
    ['what is no JSON', [{ path: ['id'], json: '1, "x":2' }]],
    [
      'the same place twice',
      [
        { path: ['id'], json: '1' },
        { path: ['id'], json: '2' },
      ],
    ],
    [
      'a place inside another',
      [
        { path: ['params'], json: '{}' },
        { path: ['params', 'name'], json: '2' },
      ],
    ],
    [
      'a place inside what is taken away',
      [
        { path: ['params', 'arguments'], json: undefined },
        { path: ['params', 'arguments', 'n'], json: '2' },
      ],
    ],
  ];
  for (const [title, changes] of faults) {
    it(`refuses ${title}`, () => {
      expect(() => spliceChanges(TEXT, changes)).to.throw(RangeError);
    });
  }

  it('has the same effect on any text as on its parsed value, however the text is formatted', () => {
    const key = fc.string({ maxLength: 4 }).filter((name) => name !== '__proto__');
    const record = fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true });
    const indent = fc.constantFrom(0, 1, '\t');
    fc.assert(
      fc.property(
        record,
        fc.dictionary(key, fc.option(fc.jsonValue()), { noNullPrototype: true }),
        indent,
        (value, by, space) => {
          const wanted: Record<string, unknown> = { ...value };
          const changes: MessageChange[] = [];
          for (const [name, other] of Object.entries(by)) {
            if (other === null && !Object.hasOwn(value, name)) continue;
            changes.push({ path: ['inner', name], json: other === null ? undefined : JSON.stringify(other) });
            if (other === null) delete wanted[name];
            else wanted[name] = other;
          }
          const text = JSON.stringify({ before: 1, inner: value, after: '"}' }, undefined, space);
          expect(JSON.parse(spliceChanges(text, changes))).to.deep.equal({
            before: 1,
            inner: JSON.parse(JSON.stringify(wanted)),
            after: '"}',
          });
        },
      ),
    );
  });

  it('removes any elements of any list', () => {
    const list = fc.array(fc.tuple(fc.jsonValue({ maxDepth: 1 }), fc.boolean()), { maxLength: 12 });
    fc.assert(
      fc.property(list, fc.constantFrom(0, 2), (items, indent) => {
        const text = JSON.stringify({ list: items.map(([item]) => item) }, undefined, indent);
        const changes = items.flatMap(([, isKept], at): MessageChange[] =>
          isKept ? [] : [{ path: ['list', at], json: undefined }],
        );
        const kept = items.filter(([, isKept]) => isKept).map(([item]) => item);
        expect(JSON.parse(spliceChanges(text, changes))).to.deep.equal(
          JSON.parse(JSON.stringify({ list: kept })),
        );
      }),
    );
  });

  it('finds escaped names at every level of a path', () => {
    const named: readonly (readonly [text: string, path: readonly string[], expected: string | undefined])[] =
      [
        ['{"a\\b":{"x":1}}', ['a\\b', 'x'], undefined],
        ['{"a\\b":{"x":1}}', ['a\u0008', 'x'], '{"a\\b":{"x":2}}'],
        ['{"a\\\\b":{"x":1}}', ['a\\b', 'x'], '{"a\\\\b":{"x":2}}'],
        ['{"\\u0061":{"x":1}}', ['a', 'x'], '{"\\u0061":{"x":2}}'],
        ['{"a\\"b":{"x":1}}', ['a"b', 'x'], '{"a\\"b":{"x":2}}'],
        ['{"b":[{"a":0}],"a":{"x":1},"c":3}', ['a', 'x'], '{"b":[{"a":0}],"a":{"x":2},"c":3}'],
        ['{"b":{"x":1}}', ['a', 'x'], undefined],
        ['{"a":[1]}', ['a', 'x'], undefined],
      ];
    for (const [text, path, expected] of named) {
      JSON.parse(text);
      const splice = (): string => spliceChanges(text, [{ path, json: '2' }]);
      if (expected === undefined) expect(splice, text).to.throw(RangeError);
      else expect(splice(), text).to.equal(expected);
    }
  });
});
