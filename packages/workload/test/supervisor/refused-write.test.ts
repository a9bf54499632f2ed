import { expect } from 'chai';
import { noteRefusedWrite } from '../../src/supervisor/server/note-refused-write.ts';
import {
  explainRefusedWrite,
  mayBeMissing,
  namesRefusedWrite,
  refusedWriteIn,
  saysReadOnly,
} from '../../src/supervisor/server/refused-write.ts';

const NODE = "EROFS: read-only file system, open '/app/node_modules/memory/memory.jsonl.tmp'";

describe('saysReadOnly', () => {
  for (const text of [
    NODE,
    "OSError: [Errno 30] Read-only file system: '/app/x'",
    'open /x: read-only file system',
  ]) {
    it(`returns true for ${text}`, () => {
      expect(saysReadOnly(text)).to.equal(true);
    });
  }

  it('returns false for similar texts', () => {
    expect(saysReadOnly('the folder is read-only')).to.equal(false);
    expect(saysReadOnly('ZEROFSX')).to.equal(false);
  });
});

describe('namesRefusedWrite', () => {
  const HIDDEN = "Error: ENOENT: no such file or directory, mkdir '/app/node_modules/@acme/core/dist/logs'";

  it('returns true for a read-only file system, and for a recursive mkdir of Node.js on it', () => {
    expect([NODE, HIDDEN, `{"err":{"message":"${HIDDEN}"}}`].map(namesRefusedWrite)).to.deep.equal([
      true,
      true,
      true,
    ]);
  });

  it('returns false for other files that do not exist', () => {
    const others = [
      HIDDEN.replace('/app/', '/tmp/'),
      HIDDEN.replace('mkdir', 'open'),
      HIDDEN.replace("'/app", "'app"),
    ];
    expect(others.map(namesRefusedWrite)).to.deep.equal([false, false, false]);
  });

  it('names the folder, unless a writable mount has it', () => {
    const place = '/app/node_modules/@acme/core/dist/logs';
    expect(explainRefusedWrite(HIDDEN, { volumes: [] })).to.include(
      `may not write ${place}: its root is read-only`,
    );
    expect(mayBeMissing(HIDDEN, { volumes: ['/home/me/data:/data'] })).to.equal(false);
    expect(mayBeMissing(HIDDEN, { volumes: ['/home/me/app:/app'] })).to.equal(true);
    expect(mayBeMissing(HIDDEN, { volumes: ['/home/me/app:/app:ro'] })).to.equal(false);
    expect(mayBeMissing(NODE, { volumes: ['/home/me/app:/app'] })).to.equal(false);
  });

  it('adds a notice for a line of the output', () => {
    const noticed: string[] = [];
    const part = { say: (_kind: string, text: string) => void noticed.push(text) };
    const output = { remark: (text: string) => void noticed.push(text) };
    // SAFETY: the function uses only these members.
    const work = (volumes: readonly string[]) =>
      ({ config: { volumes }, notices: part, output }) as unknown as Parameters<typeof noteRefusedWrite>[1];
    noteRefusedWrite(HIDDEN, work(['/home/me/app:/app']));
    expect(noticed).to.deep.equal([]);
    noteRefusedWrite(HIDDEN, work([]));
    expect(noticed).to.have.length(2);
  });
});

describe('refusedWriteIn', () => {
  const answer = (body: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, ...body });

  it('returns the error text of a tool, and of a JSON-RPC error', () => {
    const tool = { result: { isError: true, content: [{ type: 'text', text: NODE }] } };
    expect(refusedWriteIn(answer(tool))).to.include(NODE);
    expect(refusedWriteIn(answer({ error: { code: -32603, message: NODE } }))).to.include(NODE);
    expect(refusedWriteIn(answer({ error: { code: 1, message: 'no', data: { cause: NODE } } }))).to.include(
      NODE,
    );
  });

  it('returns undefined for a message that only mentions a refused write', () => {
    const content = [{ type: 'text', text: NODE }];
    expect(refusedWriteIn(answer({ result: { content } }))).to.equal(undefined);
    expect(refusedWriteIn(answer({ method: 'notifications/message', params: { data: NODE } }))).to.equal(
      undefined,
    );
    expect(refusedWriteIn(`{"error": "EROFS`)).to.equal(undefined);
    expect(refusedWriteIn(answer({ error: NODE.padEnd(70_000) }))).to.equal(undefined);
  });
});

describe('explainRefusedWrite', () => {
  const cases = [
    [NODE, '/app/node_modules/memory/memory.jsonl.tmp'],
    ["OSError: [Errno 30] Read-only file system: '/app/x y'", '/app/x y'],
    ['open /var/lib/x: read-only file system', '/var/lib/x'],
    ['write: EROFS', 'to its root folder'],
  ] as const;
  for (const [text, place] of cases) {
    it(`names ${place} and the remedy`, () => {
      expect(explainRefusedWrite(text, { volumes: [] }))
        .to.include(`may not write ${place}: its root is read-only`)
        .and.to.include('-v ./data:/data');
    });
  }

  it('names the folder that the user has mounted read-only', () => {
    const text = "EROFS: read-only file system, open '/notes/today'";
    const volumes = ['/home/me/note:/note:ro', '/home/me/notes:/notes:ro'];
    expect(explainRefusedWrite(text, { volumes })).to.include('/notes is mounted read-only');
    expect(explainRefusedWrite(text, { volumes: ['/home/me/notes:/notes'] })).to.include(
      'its root is read-only',
    );
  });
});
