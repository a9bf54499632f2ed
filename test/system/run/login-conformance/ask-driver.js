// What the official suite starts as a client: it has the process that runs the
// test do the work, which does a few at once however many the suite begins.
const [url] = process.argv.slice(2);
const { PORTOLAN_TEST_DRIVER: driver, MCP_CONFORMANCE_SCENARIO: scenario } = process.env;
const { MCP_CONFORMANCE_PROTOCOL_VERSION: version, MCP_CONFORMANCE_CONTEXT: context } = process.env;
const answer = await fetch(driver, {
  method: 'POST',
  body: JSON.stringify({ url, scenario, version, context: JSON.parse(context ?? '{}') }),
});
const fault = await answer.text();
if (fault !== '') process.stderr.write(`${fault}\n`);
process.exitCode = fault === '' ? 0 : 1;
