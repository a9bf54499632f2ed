import {
  type OpenFetch,
  parseDuration,
  type PluginContext,
  type Source,
  type SourceKind,
} from '@portolan/plugin-api';
import { checkFile, checkTimeout } from './check-file.ts';
import { DataSource } from './data-source.ts';
import { oneOfPathUrlData, timeoutInvalid } from './errors.ts';
import { type FileConfig, fileConfig } from './file-config.ts';
import { parseCatalogueUrl } from './parse-catalogue-url.ts';
import { PathSource } from './path-source.ts';
import { UrlSource, type UrlSourceOptions } from './url-source.ts';

const DEFAULT_TIMEOUT = '30s';

/** Source kind `file`: entries of one catalogue document, with the claims of the source. */
export const fileSource: SourceKind<typeof fileConfig> = {
  kind: 'file',
  config: fileConfig,
  claimsFrom: 'source',
  reaches: ({ path, url }) => ({
    files: path === undefined ? [] : [path],
    urls: url === undefined ? [] : [url],
  }),
  isFixed: ({ path, url, data }) => data !== undefined && path === undefined && url === undefined,
  check: checkFile,
  create: createSource,
};

function createSource(
  config: FileConfig,
  context: Pick<PluginContext, 'directory' | 'openFetch' | 'environment' | 'logger'>,
): Source {
  const { path, url, data, timeout } = config;
  const [problem] = checkTimeout(config);
  if (problem !== undefined) throw timeoutInvalid(problem);
  if (path !== undefined && url === undefined && data === undefined) return new PathSource(path, context);
  if (url !== undefined && path === undefined && data === undefined) {
    const timeoutMs = Math.ceil(parseDuration(timeout ?? DEFAULT_TIMEOUT));
    return new UrlSource(parseCatalogueUrl(url), { ...fetchFor(url, context), timeoutMs });
  }
  if (data !== undefined && path === undefined && url === undefined) return new DataSource(data);
  throw oneOfPathUrlData();
}

/**
 * Returns a `fetch` whose redirects cannot lead to another service on this machine. It is opened on the first
 * request.
 */
function fetchFor(
  url: string,
  { openFetch, environment }: Pick<PluginContext, 'openFetch' | 'environment'>,
): Pick<UrlSourceOptions, 'fetch' | 'closeFetch'> {
  let opened: Promise<OpenFetch> | undefined;
  return {
    fetch: async (input, init) => {
      opened ??= openFetch({ allowPrivateAddresses: true, loopbackFor: [url], environment });
      const { fetch } = await opened;
      return await fetch(input, init);
    },
    closeFetch: async () => {
      const closing = opened;
      opened = undefined;
      await (await closing?.catch(() => undefined))?.close();
    },
  };
}
