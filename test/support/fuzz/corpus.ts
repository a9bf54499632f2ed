const CLAIM = '"io.modelcontextprotocol/protocolVersion":"2026-07-28"';
const META = `"_meta":{${CLAIM},"io.modelcontextprotocol/clientCapabilities":{}}`;

/**
 * Messages from which the fuzz tests start. Add each text for which a rule failed, so that it is tested from
 * then on.
 */
export const MESSAGES: readonly string[] = [
  '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  '{"jsonrpc":"2.0","id":"a","result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}',
  '{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"no"}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":[1.0,"x"],"name":"b"}}}',
  `{"jsonrpc":"2.0","id":1e2,"method":"tools/call","params":{"name":"t","arguments":{},${META}}}`,
  '{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"file:///a"}}',
  '{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}',
  '{"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"p"}}}',
  `{"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["a"]},${META}}}`,
  '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"}]',
  // A long s and the Kelvin sign: parsers that ignore case take them for the letters s and k.
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"param\u{17F}":{"name":"b"}}',
  '{"jsonrpc":"2.0","id":1,"method":"a","params":{"taskId":"a","tas\\u212aId":"b"}}',
  '{"jsonrpc":"2.0","id":1,"method":"a","m\\u0065thod":"b"}',
  '{"jsonrpc":"2.0","id":1,"method":"a","__proto__":{"method":"b"},"params":{"constructor":1}}',
  '{"jsonrpc":"2.0","id":-0,"method":"a","params":{"a":"\\ud800","b":"\u2028"}}',
  '\u{FEFF}{"jsonrpc":"2.0","id":"\\u0061","method":"x","params":{}}',
];

/** Pieces of text with a meaning for parsers of messages. */
export const PIECES: readonly string[] = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\"',
  '\\u006d',
  '\r\n',
  '\v',
  '\u0000',
  '\u{FEFF}',
  '\u2028',
  'null',
  'true',
  '1',
  '-0',
  '1e400',
  '9007199254740993',
  '"id":2',
  '"ID":2,',
  '"method":"b",',
  '"Method":"b",',
  '"params":{},',
  '"PARAMS":{},',
  '"param\u{17F}":{"name":"b"},',
  '"name":"b",',
  '"Name":"b",',
  '"uri":"b",',
  '"jsonrpc":"2.0",',
  '"result":{},',
  '"error":{},',
  '"_meta":{},',
  `${CLAIM},`,
  '"__proto__":{},',
  '[[[[[[[[',
];
