import { PortolanError } from '@portolan/plugin-api';
import type { ResourceType } from '@portolan/registry-client';

/** The file with the definition of a source or a registry cannot be used. */
export function definitionUnusable(file: string, because: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_NAMED_FILE', 'mistake', `${file} cannot be used: ${because}.`, {
    hint: 'write it as an item of `sources` or `registries` in a configuration, in YAML or JSON',
    cause,
  });
}

/** What is to be made is there already. */
export function alreadyThere(type: ResourceType, name: string): PortolanError {
  return new PortolanError('ERR_RESOURCE_EXISTS', 'conflict', `There is already a ${type} named "${name}".`, {
    hint: `change it with \`portolan ${type === 'source' ? 'sources' : 'registries'} change ${name}\``,
  });
}

/** The server could not read the source. */
export function syncFailed(name: string, message: string): PortolanError {
  return new PortolanError(
    'ERR_SYNC_FAILED',
    'unavailable',
    `The source "${name}" could not be read: ${message}`,
    {
      hint: '`portolan sources show` tells when it was last read well; what was read then is still served',
    },
  );
}
