import { isForeignLabel } from '../parse/key-value.ts';
import type { RunConfig } from './run-config.ts';

/**
 * A run config as this program means it: other writers name the URL of a remote
 * server as its image too, and mark with labels the containers that are theirs
 * to list and to remove, and name the transport as the mode of the proxy. A sentence for what is left out and may be missed.
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
