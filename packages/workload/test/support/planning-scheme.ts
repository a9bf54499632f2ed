import { PortolanError, type Scheme } from '@portolan/plugin-api';

/** Returns a scheme that gets all packages from one index, which may be unreachable. */
export function planningScheme({
  index = 'index.acme.example',
  version,
}: {
  readonly index?: string;
  readonly version?: string;
} = {}): Scheme {
  return {
    resolveVersion: async () => {
      if (version !== undefined) return version;
      throw new PortolanError(
        'ERR_PACKAGE_INDEX',
        'unavailable',
        `Cannot ask https://${index}/: ECONNREFUSED.`,
      );
    },
    planBuild: async ({ reference, baseImage = 'acme/usual:1' }) => {
      const named = reference.from === 'index' ? `${reference.name}@${reference.version}` : reference.path;
      return {
        dockerfile: `FROM ${baseImage}\nRUN get ${named} from ${index}\n`,
        baseImages: [baseImage],
        buildArguments: {},
        files: [],
      };
    },
    reachesHosts: async () => [{ host: index, port: 443 }],
  };
}
