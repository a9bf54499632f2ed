import { getCACertificates } from 'node:tls';
import type { Cluster } from '@kubernetes/client-node';
import { isLoopbackHost } from '@portolan/outbound';
import type { JsonObject } from '@portolan/plugin-api';
import { textOf } from '../objects/cluster-object.ts';
import { KubeconfigFault } from './kubeconfig-fault.ts';
import { readPem } from './read-pem.ts';

/** Throws `KubeconfigFault`. */
export function readCluster(cluster: JsonObject, pathOf: (file: string) => string): Cluster {
  const server = readServer(cluster);
  const caData = readPem(cluster, 'certificate-authority', pathOf);
  const tlsServerName = textOf(cluster['tls-server-name']);
  const proxyUrl = textOf(cluster['proxy-url']);
  if (proxyUrl !== undefined && !/^(?:https?|socks5h?):$/.test(URL.parse(proxyUrl)?.protocol ?? ''))
    throw new KubeconfigFault('kubeconfig', 'an invalid proxy-url', 'an address of http, https or socks5');
  return {
    name: 'cluster',
    server: server.href.replace(/\/$/, ''),
    // Without explicit authorities, the client uses connections that cannot be closed.
    caData: caData ?? Buffer.from(getCACertificates('default').join('\n')).toString('base64'),
    // The client requires this for http, where nothing is verified.
    skipTLSVerify: cluster['insecure-skip-tls-verify'] === true || server.protocol === 'http:',
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
  };
}

function readServer(cluster: JsonObject): URL {
  const server = textOf(cluster['server']);
  const url = server === undefined ? null : URL.parse(server);
  const expected = 'a cluster with the https address of its API server';
  if (server === undefined) throw new KubeconfigFault('kubeconfig', 'a cluster without server', expected);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new KubeconfigFault('kubeconfig', 'a server that is not an address', expected);
  if (url.username !== '' || url.password !== '')
    throw new KubeconfigFault('kubeconfig', 'a server with a user or password in its address', expected);
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    throw new KubeconfigFault('kubeconfig', 'a server that is asked over http', expected);
  return url;
}
