import { isPortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { classifyMessage } from '../../src/revisions/classify-message.ts';
import { parseClientBody } from '../../src/message/parse-message.ts';

const P = 'io.modelcontextprotocol/';
const NEW = '2026-07-28';
const OLD = '2025-11-25';
const FULL = { [`${P}protocolVersion`]: NEW, [`${P}clientCapabilities`]: {} };
const SEVEN = { ...FULL, [`${P}protocolVersion`]: 'v999.0.0' };

interface Case {
  readonly title: string;
  readonly method?: string;
  readonly kind?: 'request' | 'notification' | 'response';
  readonly params?: object;
  readonly meta?: object;
  readonly version?: string;
  readonly mcpMethod?: string;
  readonly name?: string;
  readonly inSession?: boolean;
  readonly expected: string;
}

describe('classifyMessage', () => {
  const list = 'tools/list';
  const cases: readonly Case[] = [
    { title: 'a full Modern request', meta: FULL, version: NEW, mcpMethod: list, expected: 'modern' },
    {
      title: 'one without client information',
      meta: { ...FULL, [`${P}clientInfo`]: {} },
      version: NEW,
      mcpMethod: list,
      expected: 'modern',
    },
    {
      title: 'an older header over a claim',
      meta: FULL,
      version: OLD,
      mcpMethod: list,
      expected: 'ERR_HEADER_MISMATCH',
    },
    {
      title: 'a header that contradicts an unknown claim',
      meta: SEVEN,
      version: NEW,
      mcpMethod: list,
      expected: 'ERR_HEADER_MISMATCH',
    },
    {
      title: 'an unknown revision in both',
      meta: SEVEN,
      version: 'v999.0.0',
      mcpMethod: list,
      expected: 'ERR_REVISION_UNSUPPORTED',
    },
    {
      title: 'a revision of the future in both',
      meta: { ...FULL, [`${P}protocolVersion`]: '2027-01-01' },
      version: '2027-01-01',
      mcpMethod: list,
      expected: 'ERR_REVISION_UNSUPPORTED',
    },
    { title: 'a Modern header without _meta', version: NEW, expected: 'ERR_MESSAGE_INVALID' },
    { title: 'a Modern header without a claim', meta: {}, version: NEW, expected: 'ERR_MESSAGE_INVALID' },
    {
      title: 'a claim without capabilities',
      meta: { [`${P}protocolVersion`]: NEW },
      version: NEW,
      mcpMethod: list,
      expected: 'ERR_MESSAGE_INVALID',
    },
    {
      title: 'a claim that is no text',
      meta: { ...FULL, [`${P}protocolVersion`]: 1 },
      version: NEW,
      expected: 'ERR_MESSAGE_INVALID',
    },
    {
      title: 'client information that is no object',
      meta: { ...FULL, [`${P}clientInfo`]: 'x' },
      version: NEW,
      expected: 'ERR_MESSAGE_INVALID',
    },
    {
      title: 'a claim without a version header',
      meta: FULL,
      mcpMethod: list,
      expected: 'ERR_HEADER_MISMATCH',
    },
    { title: 'no Mcp-Method', meta: FULL, version: NEW, expected: 'ERR_HEADER_MISMATCH' },
    {
      title: 'Mcp-Method in capitals',
      meta: FULL,
      version: NEW,
      mcpMethod: 'TOOLS/LIST',
      expected: 'ERR_HEADER_MISMATCH',
    },
    {
      title: 'a call with its name',
      method: 'tools/call',
      params: { name: 'a' },
      meta: FULL,
      version: NEW,
      mcpMethod: 'tools/call',
      name: 'a',
      expected: 'modern',
    },
    {
      title: 'a call with an encoded name',
      method: 'tools/call',
      params: { name: 'ä' },
      meta: FULL,
      version: NEW,
      mcpMethod: 'tools/call',
      name: '=?base64?w6Q=?=',
      expected: 'modern',
    },
    {
      title: 'a call with a badly encoded name',
      method: 'tools/call',
      params: { name: 'ä' },
      meta: FULL,
      version: NEW,
      mcpMethod: 'tools/call',
      name: '=?base64?w6Q?=',
      expected: 'ERR_HEADER_MISMATCH',
    },
    {
      title: 'a call without its name',
      method: 'tools/call',
      params: { name: 'a' },
      meta: FULL,
      version: NEW,
      mcpMethod: 'tools/call',
      expected: 'ERR_HEADER_MISMATCH',
    },
    {
      title: 'a call with another name',
      method: 'tools/call',
      params: { name: 'a' },
      meta: FULL,
      version: NEW,
      mcpMethod: 'tools/call',
      name: 'b',
      expected: 'ERR_HEADER_MISMATCH',
    },
    {
      title: 'initialize in a full envelope',
      method: 'initialize',
      meta: FULL,
      version: NEW,
      mcpMethod: 'initialize',
      expected: 'modern',
    },
    {
      title: 'initialize under a Modern header alone',
      method: 'initialize',
      version: NEW,
      expected: 'ERR_HEADER_MISMATCH',
    },
    {
      title: 'initialize with a stray key',
      method: 'initialize',
      meta: { [`${P}clientInfo`]: {} },
      version: OLD,
      expected: 'legacy',
    },
    {
      title: 'initialize with half an envelope',
      method: 'initialize',
      meta: { [`${P}protocolVersion`]: NEW },
      expected: 'legacy',
    },
    {
      title: 'a stray key under an older header',
      meta: { [`${P}clientInfo`]: {} },
      version: OLD,
      expected: 'legacy',
    },
    {
      title: 'a stray key in a session',
      meta: { [`${P}clientInfo`]: {} },
      inSession: true,
      expected: 'legacy',
    },
    {
      title: 'a stray key with nothing else',
      meta: { [`${P}clientInfo`]: {} },
      expected: 'ERR_MESSAGE_INVALID',
    },
    { title: 'a log level alone', meta: { [`${P}logLevel`]: 'info' }, expected: 'legacy' },
    { title: 'a plain request', expected: 'legacy' },
    {
      title: 'a Modern notification',
      kind: 'notification',
      meta: FULL,
      version: NEW,
      expected: 'modern-notification',
    },
    {
      title: 'a notification under a Modern header',
      kind: 'notification',
      version: NEW,
      expected: 'modern-notification',
    },
    {
      title: 'a notification whose claim its header denies',
      kind: 'notification',
      meta: FULL,
      version: OLD,
      expected: 'ERR_HEADER_MISMATCH',
    },
    { title: 'a plain notification', kind: 'notification', expected: 'legacy' },
    {
      title: 'a response under a Modern header',
      kind: 'response',
      version: NEW,
      expected: 'ERR_MESSAGE_INVALID',
    },
    { title: 'a plain response', kind: 'response', expected: 'legacy' },
  ];
  for (const { title, expected, ...given } of cases) {
    it(`classifies ${title} as ${expected}`, () => {
      expect(outcomeOf(given)).to.equal(expected);
    });
  }

  it('lists the supported revisions in its error', () => {
    try {
      classify({ meta: SEVEN, version: 'v999.0.0', mcpMethod: list });
    } catch (error) {
      expect(error)
        .to.have.nested.property('errorResponse.data')
        .deep.equal({ supported: [NEW], requested: 'v999.0.0' });
      return;
    }
    expect.fail('nothing was thrown');
  });
});

function outcomeOf(given: Omit<Case, 'title' | 'expected'>): string {
  try {
    return classify(given).era;
  } catch (error) {
    return isPortolanError(error) ? error.code : String(error);
  }
}

function classify({
  kind = 'request',
  method = 'tools/list',
  params,
  meta,
  version,
  mcpMethod,
  name,
  inSession = false,
}: Omit<Case, 'title' | 'expected'>) {
  const withMeta = meta === undefined ? params : { ...params, _meta: meta };
  const content =
    kind === 'response'
      ? { id: 1, result: {} }
      : { method, ...(withMeta === undefined ? {} : { params: withMeta }) };
  const body = { jsonrpc: '2.0', ...(kind === 'request' ? { id: 1 } : {}), ...content };
  const parsed = parseClientBody(Buffer.from(JSON.stringify(body)));
  if (parsed.form !== 'message') throw new TypeError('one message');
  return classifyMessage(
    parsed.message,
    { version, method: mcpMethod, name },
    { inKnownSession: inSession, supported: [NEW] },
  );
}
