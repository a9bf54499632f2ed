// What is used of the HTTP client, as a module of its own: an `import()` of the library itself
// has none of its names once it is part of the bundle.
export { Agent, buildConnector, fetch, ProxyAgent } from 'undici';
