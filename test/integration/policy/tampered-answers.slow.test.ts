import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { GuardedPaths, listOf, type ListAnswer, OPEN, PATHS } from './support/guarded-paths.ts';

/** What clients are not to see, however it is written. */
const SECRET = 'hidden_tool';
const ESCAPED = 'hid\\u0064en_tool';
const EXACT =
  '{"name":"open_tool","inputSchema":{"$defs":{"x":{"multipleOf":1.0,"maximum":9007199254740993}}},"unknown":1e2}';
const tools = (...names: readonly string[]): string =>
  `[${names.map((name) => (name === OPEN.real ? EXACT : `{"name":"${name}","inputSchema":{}}`)).join(',')}]`;
const ALL = tools(SECRET, OPEN.real, ESCAPED);
const NONE = tools();
const answer = (id: string, list = ALL): string =>
  `{"jsonrpc":"2.0","id":${id},"result":{"tools":${list},"ttlMs":5.0,"cacheScope":"public","resultType":"complete","nextCursor":"c"}}`;
const CHANGED = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"tools":${ALL}}}`;

type Becomes = 'filtered' | 'withheld';

/** What a server that speaks HTTP sends, and what becomes of it. */
const OVER_HTTP: readonly (readonly [
  title: string,
  send: (id: string, response: ServerResponse) => void,
  becomes: Becomes,
])[] = [
  ['JSON', json(), 'filtered'],
  [
    'JSON, a byte at a time',
    (id, response) => inPieces(response, 'application/json', answer(id), 1),
    'filtered',
  ],
  ['a byte order mark', body((id) => `\ufeff${answer(id)}`), 'filtered'],
  ['blanks around', body((id) => `\n ${answer(id)} \n`), 'filtered'],
  ['the type text/plain', json('text/plain'), 'filtered'],
  ['the type text/html', json('text/html; charset=utf-8'), 'filtered'],
  ['no type', (id, response) => void response.end(answer(id)), 'filtered'],
  [
    'UTF-16',
    body((id) => Buffer.from(answer(id), 'utf16le'), {
      'Content-Type': 'application/json; charset=utf-16le',
    }),
    'withheld',
  ],
  [
    'bytes that are no UTF-8',
    body((id) => Buffer.concat([Buffer.from(answer(id).slice(0, -2)), Buffer.from([0xff, 0x7d, 0x7d])])),
    'withheld',
  ],
  ['gzip', body((id) => gzipSync(answer(id)), { 'Content-Encoding': 'gzip' }), 'filtered'],
  ['deflate', body((id) => deflateSync(answer(id)), { 'Content-Encoding': 'deflate' }), 'filtered'],
  ['br', body((id) => brotliCompressSync(answer(id)), { 'Content-Encoding': 'br' }), 'filtered'],
  ['zstd', body((id) => zstdCompressSync(answer(id)), { 'Content-Encoding': 'zstd' }), 'withheld'],
  ['gzip without a word', body((id) => gzipSync(answer(id))), 'withheld'],
  ['gzip that is none', body((id) => answer(id), { 'Content-Encoding': 'gzip' }), 'withheld'],
  ['an encoding that nobody knows', body((id) => answer(id), { 'Content-Encoding': 'x-none' }), 'withheld'],
  ['tools twice', body((id) => answer(id).replace('"tools"', `"tools":${NONE},"tools"`)), 'withheld'],
  [
    'tools twice, escaped',
    body((id) => answer(id, NONE).replace('"ttlMs"', `"t\\u006fols":${ALL},"ttlMs"`)),
    'withheld',
  ],
  [
    'two results',
    body((id) => answer(id, NONE).replace('"result"', `"result":{"tools":${ALL}},"result"`)),
    'withheld',
  ],
  ['a name twice', body((id) => answer(id, `[{"name":"${OPEN.real}","name":"${SECRET}"}]`)), 'withheld'],
  [
    'Result beside the result',
    body((id) => answer(id, NONE).replace('"result"', `"Result":{"tools":${ALL}},"result"`)),
    'withheld',
  ],
  [
    'Tools beside the tools',
    body((id) => answer(id, NONE).replace('"tools"', `"Tools":${ALL},"tools"`)),
    'withheld',
  ],
  [
    'a Name beside the name',
    body((id) => answer(id, `[{"name":"${OPEN.real}","Name":"${SECRET}"}]`)),
    'withheld',
  ],
  ['tools that are a map', body((id) => answer(id, `{"0":{"name":"${SECRET}"}}`)), 'withheld'],
  ['a tool without a name', body((id) => answer(id, `[{"title":"${SECRET}"}]`)), 'withheld'],
  ['a tool that is a text', body((id) => answer(id, `["${SECRET}"]`)), 'withheld'],
  ['no tools', body((id) => `{"jsonrpc":"2.0","id":${id},"result":{"list":${ALL}}}`), 'withheld'],
  [
    'another tool under the visible name',
    body((id) => answer(id, tools(OPEN.real, OPEN.visible))),
    'withheld',
  ],
  ['two documents', body((id) => answer(id, NONE) + answer(id)), 'withheld'],
  ['two lines', body((id) => `${answer(id, NONE)}\n${answer(id)}`), 'withheld'],
  ['a word behind', body((id) => `${answer(id)}x`), 'withheld'],
  ['a batch', body((id) => `[${answer(id, NONE)},${answer(id)}]`), 'withheld'],
  ['an answer to another id', body(() => answer('4711')), 'withheld'],
  ['an answer to the id as a text', body((id) => answer(`"${id}"`)), 'withheld'],
  ['an answer without an id', body(() => answer('0').replace('"id":0,', '')), 'withheld'],
  ['an answer to null', body(() => answer('null')), 'withheld'],
  ['another protocol', body((id) => answer(id).replace('"2.0"', '"1.0"')), 'withheld'],
  ['the status 202', status(202), 'filtered'],
  ['the status 500', status(500), 'filtered'],
  ['a stream with LF', stream((id) => `event: message\nid: 1\ndata: ${answer(id)}\n\n`), 'filtered'],
  ['a stream with CR LF', stream((id) => `data: ${answer(id)}\r\n\r\n`), 'filtered'],
  ['a stream with CR', stream((id) => `data: ${answer(id)}\r\r`), 'filtered'],
  ['a stream with all three', stream((id) => `: c\r\nretry: 5\rid: 1\ndata: ${answer(id)}\n\r`), 'filtered'],
  ['no blank after the colon', stream((id) => `data:${answer(id)}\n\n`), 'filtered'],
  ['a stream with a byte order mark', stream((id) => `\ufeffdata: ${answer(id)}\n\n`), 'filtered'],
  [
    'an answer in two lines',
    stream((id) => `data: ${answer(id).replace(',"result"', '\ndata: ,"result"')}\n\n`),
    'filtered',
  ],
  [
    'an answer in many lines',
    stream(
      (id) =>
        `${answer(id)
          .split(',')
          .map((part) => `data: ${part}`)
          .join('\ndata: ,\n')}\n\n`,
    ),
    'filtered',
  ],
  [
    'a stream, a byte at a time',
    (id, response) => inPieces(response, 'text/event-stream', `: c\r\ndata: ${answer(id)}\r\n\r\n`, 1),
    'filtered',
  ],
  ['a comment in front', stream((id) => `: here it is\n\ndata: ${answer(id)}\n\n`), 'filtered'],
  ['a stream that is cut', stream((id) => `data: ${answer(id)}`), 'withheld'],
  ['a stream that is cut after one line', stream((id) => `data: ${answer(id)}\n`), 'withheld'],
  ['an event of another type', stream((id) => `event: other\ndata: ${answer(id)}\n\n`), 'filtered'],
  [
    'an empty list, and then the other',
    stream((id) => `data: ${answer(id, NONE)}\n\ndata: ${answer(id)}\n\n`),
    'filtered',
  ],
  [
    'an answer to another id in a stream',
    stream((id) => `data: ${answer('4711')}\n\ndata: ${answer(id)}\n\n`),
    'filtered',
  ],
  ['a list in a notification', stream((id) => `data: ${CHANGED}\n\ndata: ${answer(id)}\n\n`), 'filtered'],
  [
    'two documents in an event',
    stream((id) => `data: ${answer(id, NONE)}\ndata: ${answer(id)}\n\n`),
    'withheld',
  ],
  ['a batch in an event', stream((id) => `data: [${answer(id)}]\n\n`), 'withheld'],
  [
    'a stream in gzip',
    (id, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Content-Encoding': 'gzip' });
      response.end(gzipSync(`data: ${answer(id)}\n\n`));
    },
    'filtered',
  ],
  [
    'a stream under the type of JSON',
    (id, response) => inPieces(response, 'application/json', `data: ${answer(id)}\n\n`, 1000),
    'withheld',
  ],
  [
    'JSON under the type of a stream',
    (id, response) => inPieces(response, 'text/event-stream', answer(id), 1000),
    'withheld',
  ],
];

/** Lines of a server on standard output; what is withheld is never answered, or by an error. */
const ON_LINES: readonly (readonly [title: string, line: (id: string) => string, becomes: Becomes])[] = [
  ['a line', (id) => answer(id), 'filtered'],
  ['blanks around', (id) => `  ${answer(id)} \r`, 'filtered'],
  ['tools twice', (id) => answer(id).replace('"tools"', `"tools":${NONE},"tools"`), 'withheld'],
  [
    'tools twice, escaped',
    (id) => answer(id, NONE).replace('"ttlMs"', `"t\\u006fols":${ALL},"ttlMs"`),
    'withheld',
  ],
  ['a name twice', (id) => answer(id, `[{"name":"${OPEN.real}","name":"${SECRET}"}]`), 'withheld'],
  [
    'Result beside the result',
    (id) => answer(id, NONE).replace('"result"', `"Result":{"tools":${ALL}},"result"`),
    'withheld',
  ],
  ['tools that are a map', (id) => answer(id, `{"0":{"name":"${SECRET}"}}`), 'withheld'],
  ['a tool without a name', (id) => answer(id, `[{"title":"${SECRET}"}]`), 'withheld'],
  ['no tools', (id) => `{"jsonrpc":"2.0","id":${id},"result":{"list":${ALL}}}`, 'withheld'],
  ['another tool under the visible name', (id) => answer(id, tools(OPEN.real, OPEN.visible)), 'withheld'],
  // What is no answer to anybody is waited past.
  ['a word behind, and then nothing', (id) => `${answer(id)}x\n${answer(id, NONE)}`, 'withheld'],
  ['two documents, and then nothing', (id) => `${answer(id)}${answer(id)}\n${answer(id, NONE)}`, 'withheld'],
  // Servers of one revision may write batches.
  ['a batch, and then the same', (id) => `[${answer(id)}]\n${answer(id)}`, 'filtered'],
  [
    'UTF-16, and then nothing',
    (id) => `${answer(id).replaceAll(/./g, '$&\0')}\n${answer(id, NONE)}`,
    'withheld',
  ],
  ['an event, and then nothing', (id) => `data: ${answer(id)}\n${answer(id, NONE)}`, 'withheld'],
  [
    'another protocol, and then nothing',
    (id) => `${answer(id).replace('"2.0"', '"1.0"')}\n${answer(id, NONE)}`,
    'withheld',
  ],
  ['an answer to another id in front', (id) => `${answer('4711')}\n${answer(id)}`, 'filtered'],
  [
    'an answer to the id as a text in front',
    (id) => `${answer(JSON.stringify(id))}\n${answer(id)}`,
    'filtered',
  ],
  ['an answer to null in front', (id) => `${answer('null')}\n${answer(id)}`, 'filtered'],
  [
    'an answer without an id in front',
    (id) => `${answer('0').replace('"id":0,', '')}\n${answer(id)}`,
    'filtered',
  ],
  ['a list in a notification in front', (id) => `${CHANGED}\n${answer(id)}`, 'filtered'],
  ['an empty list, and then the other', (id) => `${answer(id, NONE)}\n${answer(id)}`, 'filtered'],
];

describe('a list of tools with', function () {
  this.timeout(180_000); // some hundred requests each
  const paths = new GuardedPaths();
  afterEach(() => paths.close());

  for (const path of PATHS) {
    const [title, era, isBridge] = path;
    it(`anything done to it shows nothing that is hidden, from ${title}`, async () => {
      let current: ListAnswer | undefined;
      const guarded = await paths.open(path, () => {
        if (current === undefined) throw new Error('nobody asks yet');
        return current;
      });
      const cells = isBridge
        ? ON_LINES.map(([name, line, becomes]) => ({ name, becomes, list: { line, http: json() } }))
        : OVER_HTTP.map(([name, http, becomes]) => ({ name, becomes, list: { http, line: answer } }));
      for (const [index, { name, becomes, list }] of cells.entries()) {
        current = list;
        const headers = {
          'Mcp-Method': 'tools/list',
          'Mcp-Name': undefined,
          'Accept-Encoding': 'gzip, br, zstd',
        };
        const { status: code, text } = await guarded.post({ body: listOf(era, 100 + index), headers }, '');
        const shown = `${name}: ${code} ${text.slice(0, 400)}`;
        for (const written of [SECRET, ESCAPED, OPEN.real]) expect(text, shown).not.to.include(written);
        if (becomes === 'withheld') {
          expect(text, shown).not.to.include('"tools":[{');
          continue;
        }
        if (/empty list, and then/.test(name)) {
          expect(text, shown).to.include('"tools":[]').and.to.include('"nextCursor":"c"');
          continue;
        }
        expect(text.replaceAll(/\r?\n|\r|data: ?/g, ''), shown).to.include(
          `{"tools":[${EXACT.replace(OPEN.real, OPEN.visible)}],"ttlMs":5.0,"cacheScope":"public","resultType":"complete","nextCursor":"c"}`,
        );
      }
    });
  }
});

function json(type = 'application/json') {
  return body((id) => answer(id), { 'Content-Type': type });
}

function body(write: (id: string) => string | Buffer, headers: Readonly<Record<string, string>> = {}) {
  return (id: string, response: ServerResponse): void => {
    response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
    response.end(write(id));
  };
}

function status(code: number) {
  return (id: string, response: ServerResponse): void => {
    response.writeHead(code, { 'Content-Type': 'application/json' });
    response.end(answer(id));
  };
}

function stream(write: (id: string) => string) {
  return (id: string, response: ServerResponse): void => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.end(write(id));
  };
}

function inPieces(response: ServerResponse, type: string, text: string, piece: number): void {
  response.writeHead(200, { 'Content-Type': type });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += piece) response.write(bytes.subarray(at, at + piece));
  response.end();
}
