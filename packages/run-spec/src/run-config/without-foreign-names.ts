import { isForeignLabel } from '../parse/key-value.ts';
import type { RunConfig } from './run-config.ts';

/**
 * Converts a run config of another tool. Others use a remote server's URL as its image, mark their containers
 * with labels, and use the transport as the proxy mode. Returns a sentence for each dropped part that the
 * user may miss.
 */
export function withoutForeignNames(config: RunConfig): {
  readonly config: RunConfig;
  readonly notes: readonly string[];
} {
  const { image, remote_url: remoteUrl, container_labels: labels, proxy_mode: mode } = config;
  const foreign = Object.keys(labels).filter(isForeignLabel);
  const kept = Object.entries(labels).filter(([key]) => !isForeignLabel(key));
  return {
    config: {
      ...config,
      image: isSameUrl(image, remoteUrl) ? '' : image,
      proxy_mode: mode === 'stdio' ? '' : mode,
      container_labels: Object.fromEntries(kept),
    },
    notes:
      foreign.length === 0
        ? []
        : [`Labels by which another tool knows its own containers are left out: ${foreign.join(', ')}.`],
  };
}

function isSameUrl(image: string, remoteUrl: string): boolean {
  const url = URL.parse(remoteUrl);
  return url !== null && URL.parse(image)?.href === url.href;
}
