import { PortolanError } from '@portolan/plugin-api';
import type { ResourceType } from '@portolan/registry-client';

/** Creates the error for an unusable file with the definition of a source or a registry. */
export function definitionUnusable(file: string, because: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_NAMED_FILE', 'mistake', `${file} cannot be used: ${because}.`, {
    hint: 'write it as an item of `sources` or `registries` in a configuration, in YAML or JSON',
    cause,
  });
}

/** Creates the error for a source or a registry that already exists. */
export function alreadyThere(type: ResourceType, name: string): PortolanError {
  return new PortolanError('ERR_RESOURCE_EXISTS', 'conflict', `There is already a ${type} named "${name}".`, {
    hint: `change it with \`portolan ${type === 'source' ? 'sources' : 'registries'} change ${name}\``,
  });
}

/** Creates the error for a source that the server could not read. */
export function syncFailed(name: string, message: string): PortolanError {
  return new PortolanError(
    'ERR_SYNC_FAILED',
    'unavailable',
    `The source "${name}" could not be read: ${message}`,
    {
      hint: 'check the source; `portolan sources show` shows its last good sync, whose entries are still served',
    },
  );
}
