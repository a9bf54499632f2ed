// Program that the official suite starts as a client. It forwards the work to the process of the test, which
// runs a few at the same time.
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
