// Separate module, because in the bundle an `import()` of the library itself would have none of its names.
export { Agent, buildConnector, fetch, ProxyAgent } from 'undici';
