import { isJsonObject, spliceChanges } from '@portolan/mcp-protocol';
import type { RequestView } from '@portolan/plugin-api';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { NameDirectory } from '../../src/names/name-directory.ts';
import { ToolSearch } from '../../src/search/tool-search.ts';
import { WordIndex } from '../support/word-index.ts';

/** Returns the message that a call with these params becomes. */
function changed(params: string): unknown {
  const names = new NameDirectory(['find_tool', 'call_tool']);
  names.replaceMembers([{ name: 'm', settings: {} }]);
  const search = new ToolSearch({
    settings: { mode: 'always', aboveTokens: 0, always: [] },
    index: new WordIndex(),
    logger: createRecordingLogger(),
  });
  const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
  const message = { kind: 'request', method: 'tools/call', text, params: JSON.parse(params) };
  // SAFETY: the search reads these parts of a request only.
  const verdict = search.change(message as unknown as RequestView, names, false);
  if (verdict === undefined || !('change' in verdict)) return verdict;
  return spliceChanges(text, verdict.change);
}

describe('ToolSearch.change', () => {
  it('keeps the text of the inner arguments, and the other params', () => {
    const inner = '{ "id": 12345678901234567890, "s": "\\u00e9" }';
    const params = `{"name":"call_tool","arguments":{"name":"m_a","arguments":${inner}},"_meta":{"progressToken":7}}`;
    expect(changed(params)).to.equal(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"m/a","arguments":${inner},"_meta":{"progressToken":7}}}`,
    );
  });

  it('turns find_tool into a list without its arguments, and keeps _meta', () => {
    const params =
      '{"name":"find_tool","arguments":{"query":"x"},"task":{"ttl":1},"_meta":{"progressToken":7}}';
    const message: unknown = JSON.parse(String(changed(params)));
    const { method, params: listed } = Object(message);
    expect(method).to.equal('tools/list');
    expect(Object.keys(listed)).to.deep.equal(['_meta']);
    expect(isJsonObject(listed['_meta']) && Object.values(listed['_meta'])).to.deep.equal([
      7,
      { find: { query: 'x', limit: 8 } },
    ]);
  });

  it('leaves other calls to the mapping of names', () => {
    expect(changed('{"name":"m_a","arguments":{"name":"call_tool"}}')).to.equal(undefined);
    expect(changed('{"name":["call_tool"]}')).to.equal(undefined);
  });
});
