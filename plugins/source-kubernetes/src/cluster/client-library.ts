// The used parts of the client, by name: the rest, which is most of it, is not in the published package.
export { IsomorphicFetchHttpLibrary, KubeConfig, RequestContext } from '@kubernetes/client-node';
