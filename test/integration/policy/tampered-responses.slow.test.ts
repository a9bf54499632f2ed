import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { listOf } from './support/guarded-clients.ts';
import { GuardedPaths, OPEN, PATHS } from './support/guarded-paths.ts';
import type { ListResponse, Listing } from './support/guarded-servers.ts';

/** Text that clients may not see in any form. */
const SECRET = 'hidden_tool';
const ESCAPED = 'hid\\u0064en_tool';

type Becomes = 'filtered' | 'withheld';

const LISTS: readonly Listing[] = [
  { method: 'tools/list', member: 'tools', named: 'name', filteredBy: 'the tool filter' },
  { method: 'tools/list', member: 'tools', named: 'name', filteredBy: 'Cedar' },
  { method: 'prompts/list', member: 'prompts', named: 'name', filteredBy: 'Cedar' },
  { method: 'resources/list', member: 'resources', named: 'uri', filteredBy: 'Cedar' },
  {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    named: 'uriTemplate',
    filteredBy: 'Cedar',
  },
];

/** A list in the server's spelling. */
interface Written extends Listing {
  /** An item that clients see, with its name. */
  readonly shown: (name: string) => string;
  readonly items: (...names: readonly string[]) => string;
  readonly answer: (id: string, list?: string) => string;
  readonly ALL: string;
  readonly NONE: string;
  readonly CHANGED: string;
}

function written(listing: Listing): Written {
  const { method, member, named } = listing;
  const shown = (name: string): string =>
    `{"${named}":"${name}","inputSchema":{"$defs":{"x":{"multipleOf":1.0,"maximum":9007199254740993}}},"unknown":1e2}`;
  const items = (...names: readonly string[]): string =>
    `[${names.map((name) => (name === OPEN.real ? shown(name) : `{"${named}":"${name}","inputSchema":{}}`)).join(',')}]`;
  const [ALL, NONE] = [items(SECRET, OPEN.real, ESCAPED), items()];
  const answer = (id: string, list = ALL): string =>
    `{"jsonrpc":"2.0","id":${id},"result":{"${member}":${list},"ttlMs":5.0,"cacheScope":"public","resultType":"complete","nextCursor":"c"}}`;
  const CHANGED = `{"jsonrpc":"2.0","method":"notifications/${method}_changed","params":{"${member}":${ALL}}}`;
  return { ...listing, shown, items, answer, ALL, NONE, CHANGED };
}

type HttpCells = readonly (readonly [
  title: string,
  send: (id: string, response: ServerResponse) => void,
  becomes: Becomes,
])[];

/** Responses of an HTTP server, and the expected results. */
const overHttp = ({ member, named, answer, items, ALL, NONE, CHANGED, filteredBy }: Written): HttpCells => [
  ['JSON', json(answer), 'filtered'],
  [
    'JSON, a byte at a time',
    (id, response) => inPieces(response, 'application/json', answer(id), 1),
    'filtered',
  ],
  ['a byte order mark', body((id) => `\ufeff${answer(id)}`), 'filtered'],
  ['blanks around', body((id) => `\n ${answer(id)} \n`), 'filtered'],
  ['the type text/plain', json(answer, 'text/plain'), 'filtered'],
  ['the type text/html', json(answer, 'text/html; charset=utf-8'), 'filtered'],
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
  [
    'the list twice',
    body((id) => answer(id).replace(`"${member}"`, `"${member}":${NONE},"${member}"`)),
    'withheld',
  ],
  [
    'the list twice, escaped',
    body((id) => answer(id, NONE).replace('"ttlMs"', `"${escaped(member)}":${ALL},"ttlMs"`)),
    'withheld',
  ],
  [
    'two results',
    body((id) => answer(id, NONE).replace('"result"', `"result":{"${member}":${ALL}},"result"`)),
    'withheld',
  ],
  [
    'a name twice',
    body((id) => answer(id, `[{"${named}":"${OPEN.real}","${named}":"${SECRET}"}]`)),
    'withheld',
  ],
  [
    'Result beside the result',
    body((id) => answer(id, NONE).replace('"result"', `"Result":{"${member}":${ALL}},"result"`)),
    'withheld',
  ],
  [
    'the same in capitals beside the list',
    body((id) => answer(id, NONE).replace(`"${member}"`, `"${capital(member)}":${ALL},"${member}"`)),
    'withheld',
  ],
  [
    'a Name beside the name',
    body((id) => answer(id, `[{"${named}":"${OPEN.real}","${capital(named)}":"${SECRET}"}]`)),
    'withheld',
  ],
  ['a map for a list', body((id) => answer(id, `{"0":{"${named}":"${SECRET}"}}`)), 'withheld'],
  ['an item without a name', body((id) => answer(id, `[{"title":"${SECRET}"}]`)), 'withheld'],
  ['an item that is a text', body((id) => answer(id, `["${SECRET}"]`)), 'withheld'],
  ['no list', body((id) => `{"jsonrpc":"2.0","id":${id},"result":{"list":${ALL}}}`), 'withheld'],
  ['two documents', body((id) => answer(id, NONE) + answer(id)), 'withheld'],
  ['two lines', body((id) => `${answer(id, NONE)}\n${answer(id)}`), 'withheld'],
  ['a word behind', body((id) => `${answer(id)}x`), 'withheld'],
  ['a batch', body((id) => `[${answer(id, NONE)},${answer(id)}]`), 'withheld'],
  ['an answer to another id', body(() => answer('4711')), 'withheld'],
  ['an answer to the id as a text', body((id) => answer(`"${id}"`)), 'withheld'],
  ['an answer without an id', body(() => answer('0').replace('"id":0,', '')), 'withheld'],
  ['an answer to null', body(() => answer('null')), 'withheld'],
  ['another protocol', body((id) => answer(id).replace('"2.0"', '"1.0"')), 'withheld'],
  ['the status 202', status(answer, 202), 'filtered'],
  ['the status 500', status(answer, 500), 'filtered'],
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
  // The filter gives a tool this name. For Cedar it is one more hidden tool.
  [
    'another item under the visible name',
    body((id) => answer(id, items(OPEN.real, OPEN.visible))),
    filteredBy === 'Cedar' ? 'filtered' : 'withheld',
  ],
];

type LineCells = readonly (readonly [title: string, line: (id: string) => string, becomes: Becomes])[];

/** Lines of a stdio server. A withheld one gets no response, or an error. */
const onLines = ({ member, named, answer, items, ALL, NONE, CHANGED, filteredBy }: Written): LineCells => [
  ['a line', (id) => answer(id), 'filtered'],
  ['blanks around', (id) => `  ${answer(id)} \r`, 'filtered'],
  [
    'the list twice',
    (id) => answer(id).replace(`"${member}"`, `"${member}":${NONE},"${member}"`),
    'withheld',
  ],
  [
    'the list twice, escaped',
    (id) => answer(id, NONE).replace('"ttlMs"', `"${escaped(member)}":${ALL},"ttlMs"`),
    'withheld',
  ],
  ['a name twice', (id) => answer(id, `[{"${named}":"${OPEN.real}","${named}":"${SECRET}"}]`), 'withheld'],
  [
    'Result beside the result',
    (id) => answer(id, NONE).replace('"result"', `"Result":{"${member}":${ALL}},"result"`),
    'withheld',
  ],
  ['a map for a list', (id) => answer(id, `{"0":{"${named}":"${SECRET}"}}`), 'withheld'],
  ['an item without a name', (id) => answer(id, `[{"title":"${SECRET}"}]`), 'withheld'],
  ['no list', (id) => `{"jsonrpc":"2.0","id":${id},"result":{"list":${ALL}}}`, 'withheld'],
  // A line that is not a response to a request is skipped.
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
  // The filter gives a tool this name. For Cedar it is one more hidden tool.
  [
    'another item under the visible name',
    (id) => answer(id, items(OPEN.real, OPEN.visible)),
    filteredBy === 'Cedar' ? 'filtered' : 'withheld',
  ],
];

/** Events on the stream of a session. */
const inEvents = ({ answer, NONE, CHANGED }: Written): LineCells => [
  ['CR LF', (id) => `data: ${answer(id)}\r\n\r\n`, 'filtered'],
  ['CR', (id) => `data: ${answer(id)}\r\r`, 'filtered'],
  ['all ends of lines', (id) => `: c\r\nretry: 5\rid: 1\ndata: ${answer(id)}\n\r`, 'filtered'],
  ['no blank after the colon', (id) => `data:${answer(id)}\n\n`, 'filtered'],
  [
    'an answer in two lines',
    (id) => `data: ${answer(id).replace(',"result"', '\ndata: ,"result"')}\n\n`,
    'filtered',
  ],
  ['an answer in many lines', (id) => `data: ${answer(id).split(',').join('\ndata: ,')}\n\n`, 'filtered'],
  ['a comment in front', (id) => `: here it is\n\ndata: ${answer(id)}\n\n`, 'filtered'],
  ['an event of another type', (id) => `event: other\ndata: ${answer(id)}\n\n`, 'filtered'],
  ['a list in a notification', (id) => `data: ${CHANGED}\n\ndata: ${answer(id)}\n\n`, 'filtered'],
  ['two documents in an event', (id) => `data: ${answer(id, NONE)}\ndata: ${answer(id)}\n\n`, 'withheld'],
  ['a batch in an event', (id) => `data: [${answer(id)}]\n\n`, 'withheld'],
];

describe('a list response with', function () {
  this.timeout(180_000); // The cases send some hundred requests each.
  const paths = new GuardedPaths();
  afterEach(() => paths.close());

  for (const path of PATHS) {
    for (const listing of LISTS) {
      const { method, filteredBy } = listing;
      const [title, era] = path;
      it(`any tampering shows no item that ${filteredBy} hides in ${method} from ${title}`, async () => {
        let current: ListResponse | undefined;
        const guarded = await paths.open(path, {
          ...listing,
          answer: () => {
            if (current === undefined) throw new Error('nobody asks yet');
            return current;
          },
        });
        const list = written(listing);
        const cells = cellsOf(list, path);
        for (const [index, { name, becomes, sent }] of cells.entries()) {
          current = sent;
          const headers = {
            'Mcp-Method': method,
            'Mcp-Name': undefined,
            'Accept-Encoding': 'gzip, br, zstd',
          };
          const { status: code, text } = await guarded.post(
            { body: listOf(era, 100 + index, method), headers },
            '',
          );
          expectNothingHidden(list, becomes, name, text, `${name}: ${code} ${text.slice(0, 400)}`);
        }
      });
    }
  }
});

interface ResponseCell {
  readonly name: string;
  readonly becomes: Becomes;
  readonly sent: ListResponse;
}

function cellsOf(list: Written, [, , isBridge, hasStream]: (typeof PATHS)[number]): readonly ResponseCell[] {
  const { answer } = list;
  const usual: ListResponse = { http: json(answer), line: answer, events: (id) => `data: ${answer(id)}\n\n` };
  if (isBridge)
    return onLines(list).map(([name, line, becomes]) => ({ name, becomes, sent: { ...usual, line } }));
  if (!hasStream)
    return overHttp(list).map(([name, http, becomes]) => ({ name, becomes, sent: { ...usual, http } }));
  const lines = onLines(list).map(([name, line, becomes]): ResponseCell => {
    const events = (id: string): string =>
      line(id)
        .split('\n')
        .map((one) => `data: ${one}\n\n`)
        .join('');
    return { name, becomes, sent: { ...usual, events } };
  });
  const framed = inEvents(list).map(([name, events, becomes]) => ({
    name,
    becomes,
    sent: { ...usual, events },
  }));
  return [...lines, ...framed];
}

function expectNothingHidden(
  { member, filteredBy, shown }: Written,
  becomes: Becomes,
  name: string,
  text: string,
  message: string,
): void {
  const isRenamed = filteredBy === 'the tool filter';
  for (const hidden of [SECRET, ESCAPED, ...(isRenamed ? [OPEN.real] : [])])
    expect(text, message).not.to.include(hidden);
  if (becomes === 'withheld') {
    expect(text, message).not.to.include(`"${member}":[{`);
    return;
  }
  if (/empty list, and then/.test(name)) {
    expect(text, message).to.include(`"${member}":[]`).and.to.include('"nextCursor":"c"');
    return;
  }
  // A response that depends on the caller is not shared.
  const [visible, scope] = isRenamed ? [OPEN.visible, 'public'] : [OPEN.real, 'private'];
  expect(text.replaceAll(/\r?\n|\r|data: ?/g, ''), message).to.include(
    `{"${member}":[${shown(visible)}],"ttlMs":5.0,"cacheScope":"${scope}","resultType":"complete","nextCursor":"c"}`,
  );
}

function escaped(word: string): string {
  return `${word.slice(0, 1)}\\u${word.charCodeAt(1).toString(16).padStart(4, '0')}${word.slice(2)}`;
}

function capital(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

function json(answer: Written['answer'], type = 'application/json') {
  return body((id) => answer(id), { 'Content-Type': type });
}

function body(write: (id: string) => string | Buffer, headers: Readonly<Record<string, string>> = {}) {
  return (id: string, response: ServerResponse): void => {
    response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
    response.end(write(id));
  };
}

function status(answer: Written['answer'], code: number) {
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
