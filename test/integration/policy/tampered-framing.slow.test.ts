import { expect } from 'chai';
import { callsIn } from './support/every-reading.ts';
import { FORBIDDEN, GuardedPaths, type GuardedPath, OPEN, PATHS } from './support/guarded-paths.ts';

type Becomes = 'passes' | 'refused';

/** A raw request: its request line, default headers and body. */
type Frame = (start: string, head: string, body: string) => string;

const chunk = (text: string, extension = ''): string =>
  `${Buffer.byteLength(text).toString(16)}${extension}\r\n${text}\r\n`;
const withLength = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n';

const FRAMES: readonly (readonly [title: string, frame: Frame, becomes: Becomes])[] = [
  ['its length', (start, head, body) => `${start} HTTP/1.1\r\n${head}${withLength(body)}`, 'passes'],
  [
    'chunks',
    (start, head, body) => `${start} HTTP/1.1\r\n${head}${CHUNKED}\r\n${chunk(body)}0\r\n\r\n`,
    'passes',
  ],
  [
    'a chunk that says more of itself',
    (start, head, body) => `${start} HTTP/1.1\r\n${head}${CHUNKED}\r\n${chunk(body, ';a="b"')}0\r\n\r\n`,
    'passes',
  ],
  [
    'headers behind the chunks',
    (start, head, body) =>
      `${start} HTTP/1.1\r\n${head}${CHUNKED}Trailer: Mcp-Name\r\n\r\n${chunk(body)}0\r\nMcp-Name: ${OPEN.visible}\r\n\r\n`,
    'passes',
  ],
  [
    'a length that is too short',
    (start, head, body) => `${start} HTTP/1.1\r\n${head}Content-Length: ${body.length - 1}\r\n\r\n${body}`,
    'refused',
  ],
  [
    'two lengths',
    (start, head, body) => `${start} HTTP/1.1\r\n${head}Content-Length: 2\r\n${withLength(body)}`,
    'refused',
  ],
  [
    'a length and chunks',
    (start, head, body) =>
      `${start} HTTP/1.1\r\n${head}${CHUNKED}Content-Length: 2\r\n\r\n${chunk(body)}0\r\n\r\n`,
    'refused',
  ],
  [
    'chunks in chunks',
    (start, head, body) =>
      `${start} HTTP/1.1\r\n${head}Transfer-Encoding: chunked, chunked\r\n\r\n${chunk(body)}0\r\n\r\n`,
    'refused',
  ],
  [
    'an encoding behind the chunks',
    (start, head, body) =>
      `${start} HTTP/1.1\r\n${head}Transfer-Encoding: chunked, identity\r\n\r\n${chunk(body)}0\r\n\r\n`,
    'refused',
  ],
  [
    'a length with a sign',
    (start, head, body) => `${start} HTTP/1.1\r\n${head}Content-Length: +${body.length}\r\n\r\n${body}`,
    'refused',
  ],
  [
    'its method in small letters',
    (start, head, body) => `${start.replace('POST', 'post')} HTTP/1.1\r\n${head}${withLength(body)}`,
    'refused',
  ],
  [
    'another method',
    (start, head, body) => `${start.replace('POST', 'PUT')} HTTP/1.1\r\n${head}${withLength(body)}`,
    'refused',
  ],
  [
    'its type twice',
    (start, head, body) => `${start} HTTP/1.1\r\n${head}Content-Type: text/plain\r\n${withLength(body)}`,
    'refused',
  ],
  [
    'a folded header',
    (start, head, body) => `${start} HTTP/1.1\r\n${head}X-Note: a\r\n b\r\n${withLength(body)}`,
    'refused',
  ],
  [
    'a blank before the colon of a header',
    (start, head, body) => `${start} HTTP/1.1\r\n${head}X-Note : a\r\n${withLength(body)}`,
    'refused',
  ],
];

describe('a call with handwritten HTTP framing and', function () {
  this.timeout(180_000); // Each case uses its own connection.
  const paths = new GuardedPaths();
  afterEach(() => paths.close());

  for (const path of PATHS) {
    it(`any tampering of its frame is refused, or policies judge the call as ${path[0]} receives it`, async () => {
      const guarded = await paths.open(path);
      for (const [title, frame, becomes] of FRAMES) {
        const reached = await reachedBy(guarded, frame, OPEN.visible);
        const expected = becomes === 'passes' ? [OPEN.real] : [];
        expect(reached, title).to.deep.equal(expected);
        for (const name of FORBIDDEN)
          expect(await reachedBy(guarded, frame, name), `${title}, ${name}`).to.deep.equal([]);
      }
    });

    it(`a pipelined second call is judged by itself, in front of ${path[0]}`, async () => {
      const guarded = await paths.open(path);
      for (const name of FORBIDDEN) {
        const before = guarded.received().length;
        const [first, second] = [guarded.call(OPEN.visible), guarded.call(name).replace('"id":7', '"id":8')];
        await guarded.write((start, head) => {
          const open = head
            .replace('Connection: close\r\n', '')
            .replace(`Mcp-Name: ${name}`, `Mcp-Name: ${OPEN.visible}`);
          return `${start} HTTP/1.1\r\n${open}${withLength(first)}${start} HTTP/1.1\r\n${head}${withLength(second)}`;
        }, name);
        expect(guarded.received().slice(before).flatMap(callsIn), name).to.deep.equal([OPEN.real]);
      }
    });
  }
});

/**
 * Returns the tools that the server was called with, under any reading. They have to be those that were
 * judged.
 */
async function reachedBy(path: GuardedPath, frame: Frame, name: string): Promise<readonly string[]> {
  const before = path.received().length;
  path.judged.length = 0;
  const { status, text } = await path.write((start, head) => frame(start, head, path.call(name)), name);
  const reached = path.received().slice(before).flatMap(callsIn);
  const judged = path.judged.flatMap(({ text: said }) => callsIn(Buffer.from(said)));
  expect(
    judged.filter((tool) => tool === OPEN.real),
    text,
  ).to.deep.equal(reached);
  if (reached.length === 0)
    expect(status >= 400 || text.includes('"error"'), `${status} ${text}`).to.equal(true);
  return reached;
}
