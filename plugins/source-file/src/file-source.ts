import { parseDuration, type PluginContext, type Source, type SourceKind } from '@portolan/plugin-api';
import { DataSource } from './data-source.ts';
import { oneOfPathUrlData, timeoutOutOfRange, timeoutWithoutUrl } from './errors.ts';
import { type FileConfig, fileConfig } from './file-config.ts';
import { parseCatalogueUrl } from './parse-catalogue-url.ts';
import { PathSource } from './path-source.ts';
import { UrlSource } from './url-source.ts';

const DEFAULT_TIMEOUT = '30s';
const LONGEST_TIMEOUT_MS = 3_600_000;

/** Source kind `file`: entries of one catalogue document, labelled with the claims of the source. */
export const fileSource: SourceKind<typeof fileConfig> = {
  kind: 'file',
  config: fileConfig,
  claimsFrom: 'source',
  reaches: ({ path, url }) => ({
    files: path === undefined ? [] : [path],
    urls: url === undefined ? [] : [url],
  }),
  create: createSource,
};

function createSource(
  config: FileConfig,
  context: Pick<PluginContext, 'directory' | 'fetch' | 'logger'>,
): Source {
  const { path, url, data, timeout } = config;
  if (timeout !== undefined && url === undefined) throw timeoutWithoutUrl();
  if (path !== undefined && url === undefined && data === undefined) return new PathSource(path, context);
  if (url !== undefined && path === undefined && data === undefined) {
    return new UrlSource(parseCatalogueUrl(url), { fetch: context.fetch, timeoutMs: timeoutMsOf(timeout) });
  }
  if (data !== undefined && path === undefined && url === undefined) return new DataSource(data);
  throw oneOfPathUrlData();
}

function timeoutMsOf(timeout: string = DEFAULT_TIMEOUT): number {
  const timeoutMs = Math.ceil(parseDuration(timeout));
  if (timeoutMs <= 0 || timeoutMs > LONGEST_TIMEOUT_MS) throw timeoutOutOfRange(timeout);
  return timeoutMs;
}
