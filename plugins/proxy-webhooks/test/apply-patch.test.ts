import { expect } from 'chai';
import fc from 'fast-check';
import { applyPatch } from '../src/apply-patch.ts';
import { findChanges } from '../src/find-changes.ts';
import { parseTree, printTree } from '../src/json-tree.ts';
import { patchMessage } from '../src/mutating-webhooks.ts';

function patched(message: string, patch: unknown): string {
  return printTree(applyPatch(parseTree(message), parseTree(JSON.stringify(patch))));
}

const at = (path: string): string => `/mcp_request/${path}`;

describe('applyPatch', () => {
  // RFC 6902, appendix A, below `mcp_request`.
  const rows: readonly (readonly [title: string, message: string, patch: unknown, after: string])[] = [
    ['A.1 adds a member', '{"a":1}', [{ op: 'add', path: at('b'), value: 2 }], '{"a":1,"b":2}'],
    ['A.2 adds an element', '{"a":[1,3]}', [{ op: 'add', path: at('a/1'), value: 2 }], '{"a":[1,2,3]}'],
    ['A.3 removes a member', '{"a":1,"b":2}', [{ op: 'remove', path: at('a') }], '{"b":2}'],
    ['A.4 removes an element', '{"a":[1,2,3]}', [{ op: 'remove', path: at('a/1') }], '{"a":[1,3]}'],
    [
      'A.5 replaces a value',
      '{"a":1,"b":2}',
      [{ op: 'replace', path: at('a'), value: {} }],
      '{"a":{},"b":2}',
    ],
    [
      'A.6 moves a value',
      '{"a":{"x":1.0,"y":2},"b":{}}',
      [{ op: 'move', from: at('a/x'), path: at('b/x') }],
      '{"a":{"y":2},"b":{"x":1.0}}',
    ],
    [
      'A.7 moves an element',
      '{"a":[1,2,3,4]}',
      [{ op: 'move', from: at('a/1'), path: at('a/3') }],
      '{"a":[1,3,4,2]}',
    ],
    [
      'A.8 tests',
      '{"a":"b","c":[1,2.0]}',
      [{ op: 'test', path: at('c'), value: [1, 2] }],
      '{"a":"b","c":[1,2.0]}',
    ],
    [
      'A.10 adds a nested object',
      '{"a":1}',
      [{ op: 'add', path: at('b'), value: { c: {} } }],
      '{"a":1,"b":{"c":{}}}',
    ],
    ['A.11 ignores other members', '{}', [{ op: 'add', path: at('a'), value: 1, xyz: 2 }], '{"a":1}'],
    [
      'A.14 reads ~0 and ~1',
      '{"/":9,"~1":10}',
      [{ op: 'test', path: at('~01'), value: 10 }],
      '{"/":9,"~1":10}',
    ],
    ['A.16 adds at the end', '{"a":[1]}', [{ op: 'add', path: at('a/-'), value: [2] }], '{"a":[1,[2]]}'],
    [
      'copies',
      '{"a":9007199254740993}',
      [{ op: 'copy', from: at('a'), path: at('b') }],
      '{"a":9007199254740993,"b":9007199254740993}',
    ],
    ['moves a place onto itself', '{"a":1}', [{ op: 'move', from: at('a'), path: at('a') }], '{"a":1}'],
    [
      'takes names of prototypes for names',
      '{"constructor":1,"__proto__":{"a":1}}',
      [
        { op: 'replace', path: at('constructor'), value: 2 },
        { op: 'remove', path: at('__proto__/a') },
        { op: 'add', path: at('toString'), value: 3 },
      ],
      '{"constructor":2,"__proto__":{},"toString":3}',
    ],
    [
      'finds a place with an empty name',
      '{"a":{"":1}}',
      [{ op: 'replace', path: at('a/'), value: 2 }],
      '{"a":{"":2}}',
    ],
    [
      'goes on from one operation to the next',
      '{"a":[]}',
      [
        { op: 'add', path: at('a/0'), value: 1 },
        { op: 'add', path: at('a/0'), value: 2 },
        { op: 'remove', path: at('a/1') },
      ],
      '{"a":[2]}',
    ],
  ];
  for (const [title, message, patch, after] of rows) {
    it(title, () => {
      expect(patched(message, patch)).to.equal(after);
    });
  }

  const faults: readonly (readonly [title: string, patch: unknown])[] = [
    ['A.9 a test that fails', [{ op: 'test', path: at('a'), value: 'bar' }]],
    ['A.12 a place below what is not there', [{ op: 'add', path: at('x/y'), value: 1 }]],
    ['A.15 a number for a text', [{ op: 'test', path: at('n'), value: '1' }]],
    ['numbers that one double stands for', [{ op: 'test', path: at('big'), value: 9007199254740992 }]],
    ['a member to remove that is not there', [{ op: 'remove', path: at('x') }]],
    ['a member to replace that is not there', [{ op: 'replace', path: at('x'), value: 1 }]],
    ['a member of the prototype', [{ op: 'replace', path: at('constructor'), value: 1 }]],
    ['a place to test that is not there', [{ op: 'test', path: at('x'), value: null }]],
    ['an element after the end', [{ op: 'add', path: at('list/3'), value: 1 }]],
    ['the end where nothing is added', [{ op: 'remove', path: at('list/-') }]],
    ['an index with a zero in front', [{ op: 'replace', path: at('list/00'), value: 1 }]],
    ['an index with a sign', [{ op: 'replace', path: at('list/-1'), value: 1 }]],
    ['the length of a list', [{ op: 'replace', path: at('list/length'), value: 0 }]],
    ['a place in a text', [{ op: 'add', path: at('text/0'), value: 1 }]],
    ['a move into itself', [{ op: 'move', from: at('o'), path: at('o/o') }]],
    ['a copy of what is not there', [{ op: 'copy', from: at('x'), path: at('y') }]],
    ['the whole message', [{ op: 'replace', path: '/mcp_request', value: {} }]],
    ['the whole document', [{ op: 'replace', path: '', value: {} }]],
    ['a place beside the message', [{ op: 'add', path: '/principal/sub', value: 'root' }]],
    ['a place whose name begins likewise', [{ op: 'add', path: '/mcp_request2/a', value: 1 }]],
    ['a source beside the message', [{ op: 'copy', from: '/context/transport', path: at('a') }]],
    ['a pointer that is none', [{ op: 'add', path: at('~2'), value: 1 }]],
    ['a path that is no text', [{ op: 'add', path: ['mcp_request', 'a'], value: 1 }]],
    ['an operation without a path', [{ op: 'add', value: 1 }]],
    ['an operation without a value', [{ op: 'add', path: at('a') }]],
    ['an unknown operation', [{ op: 'merge', path: at('a'), value: 1 }]],
    ['an operation in capitals', [{ op: 'ADD', path: at('a'), value: 1 }]],
    ['an operation that is no map', ['add']],
    ['a patch that is a map', { op: 'add', path: at('a'), value: 1 }],
  ];
  const message = '{"a":"foo","n":1,"big":9007199254740993,"list":[1,2],"text":"ab","o":{"o":1}}';
  for (const [title, patch] of faults) {
    it(`refuses ${title}`, () => {
      expect(() => patched(message, patch)).to.throw(RangeError);
    });
  }
});

describe('patchMessage', () => {
  const REQUEST = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"}}';
  const kept: readonly (readonly [title: string, text: string, operation: object])[] = [
    ['another id', REQUEST, { op: 'replace', path: at('id'), value: 8 }],
    ['the same id as a text', REQUEST, { op: 'replace', path: at('id'), value: '7' }],
    ['no id any more', REQUEST, { op: 'remove', path: at('id') }],
    ['an id for a notification', REQUEST.replace('"id":7,', ''), { op: 'add', path: at('id'), value: 8 }],
    ['another protocol', REQUEST, { op: 'replace', path: at('jsonrpc'), value: '1.0' }],
    ['no method', REQUEST, { op: 'remove', path: at('method') }],
    ['a method that is a list', REQUEST, { op: 'replace', path: at('method'), value: ['tools/call'] }],
    ['a result', REQUEST, { op: 'add', path: at('result'), value: {} }],
    ['a list of parameters', REQUEST, { op: 'replace', path: at('params'), value: ['a'] }],
  ];
  for (const [title, text, operation] of kept) {
    it(`refuses ${title}`, () => {
      const after = patchMessage(parseTree(text), parseTree(JSON.stringify([operation])));
      expect(after)
        .to.be.a('string')
        .and.match(/^after its patch /);
    });
  }

  it('accepts other parameters and another method', () => {
    const patch = [
      { op: 'replace', path: at('method'), value: 'prompts/get' },
      { op: 'add', path: at('params/arguments'), value: { a: 1 } },
    ];
    const after = patchMessage(parseTree(REQUEST), parseTree(JSON.stringify(patch)));
    expect(typeof after === 'string' ? after : printTree(after)).to.equal(
      '{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"a","arguments":{"a":1}}}',
    );
  });
});

describe('findChanges', () => {
  const rows: readonly (readonly [title: string, patch: object, changes: readonly object[]])[] = [
    ['nothing for the same value again', { op: 'replace', path: at('n'), value: 1 }, []],
    ['the value alone', { op: 'replace', path: at('o/p/0'), value: 2 }, [{ path: ['o', 'p', 0], json: '2' }]],
    ['the member alone', { op: 'add', path: at('o/q'), value: 'x' }, [{ path: ['o', 'q'], json: '"x"' }]],
    [
      'the element that is gone',
      { op: 'remove', path: at('list/1') },
      [{ path: ['list', 1], json: undefined }],
    ],
    [
      'a list that another came into',
      { op: 'add', path: at('list/0'), value: 0 },
      [{ path: ['list'], json: '[0,1.0,2,2]' }],
    ],
    [
      'what was moved, as it was written',
      { op: 'move', from: at('list/0'), path: at('o/q') },
      [
        { path: ['o', 'q'], json: '1.0' },
        { path: ['list', 0], json: undefined },
      ],
    ],
  ];
  for (const [title, patch, changes] of rows) {
    it(`returns ${title}`, () => {
      const before = parseTree('{"n": 1, "o": {"p": [1]}, "list": [1.0, 2, 2]}');
      const after = applyPatch(before, parseTree(JSON.stringify([patch])));
      expect(findChanges(before, after)).to.deep.equal(changes);
    });
  }

  it('reproduces the patched message from any original', () => {
    const tree = fc.jsonValue({ maxDepth: 3 }).map((value) => parseTree(JSON.stringify({ value })));
    fc.assert(
      fc.property(tree, tree, (before, after) => {
        const changes = findChanges(before, after);
        let text: unknown = JSON.parse(printTree(before));
        for (const { path, json } of changes.toReversed()) text = withChange(text, path, json);
        expect(text).to.deep.equal(JSON.parse(printTree(after)));
      }),
    );
  });
});

describe('parseTree', () => {
  it('keeps the exact text of numbers and strings', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.parse(printTree(parseTree(text)))).to.deep.equal(JSON.parse(text));
      }),
    );
    const text = '{"a":[1.0,-0,1e2,9007199254740993,"\\u0041\\/",":"],"b":{"":null},"c":true}';
    expect(printTree(parseTree(text))).to.equal(text);
  });

  for (const text of [
    '{"a":1,"a":2}',
    '{"a":{"b":1,"\\u0062":2}}',
    '[{"a":1,"a":1}]',
    '{"a":1',
    '',
    '{} {}',
  ]) {
    it(`refuses ${text}`, () => {
      expect(() => parseTree(text)).to.throw(SyntaxError);
    });
  }
});

function withChange(value: unknown, path: readonly (string | number)[], json: string | undefined): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return json === undefined ? undefined : JSON.parse(json);
  if (Array.isArray(value)) {
    if (rest.length === 0 && json === undefined) return value.toSpliced(Number(key), 1);
    return value.with(Number(key), withChange(value[Number(key)], rest, json));
  }
  const members = new Map(Object.entries(Object(value)));
  if (rest.length === 0 && json === undefined) members.delete(String(key));
  else members.set(String(key), withChange(members.get(String(key)), rest, json));
  return Object.fromEntries(members);
}
