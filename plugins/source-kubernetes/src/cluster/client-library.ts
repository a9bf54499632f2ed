// The rest of the client, which is most of it, is not in the published package.
export { IsomorphicFetchHttpLibrary, KubeConfig, RequestContext } from '@kubernetes/client-node';
