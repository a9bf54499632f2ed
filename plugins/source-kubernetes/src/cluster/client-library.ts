// What is used of the client, by name: the rest, which is most of it, is no part of the published package.
export { IsomorphicFetchHttpLibrary, KubeConfig, RequestContext } from '@kubernetes/client-node';
