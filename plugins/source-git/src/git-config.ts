import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

export const gitConfig = {
  type: 'object',
  title: 'Git source',
  description: 'Catalogues and server.json files of a git repository.',
  required: ['repository'],
  properties: {
    repository: {
      type: 'string',
      minLength: 1,
      maxLength: 2000,
      description:
        'Address of the repository: `https://host/path`, `ssh://user@host/path` or `user@host:path`; `http://` with `allowHttp`, or on a loopback host. `file:///path` is a local bare repository, only in the configuration file. Passwords belong in `auth`.',
      examples: ['https://git.acme.example/mcp/catalogue.git'],
    },
    branch: {
      type: 'string',
      minLength: 1,
      description:
        'Branch to read. At most one of `branch`, `tag` and `commit`; without any, the default branch.',
      examples: ['main'],
    },
    tag: { type: 'string', minLength: 1, description: 'Tag that is read.', examples: ['v1.4.0'] },
    commit: {
      type: 'string',
      minLength: 1,
      description: 'Commit to read: its complete name, 40 or 64 hexadecimal digits.',
      examples: ['d9a7f1c06f4b3c7a0d9d5f4f1c2b3a4958677681'],
    },
    path: {
      type: 'string',
      minLength: 1,
      maxLength: 1000,
      default: 'registry.json',
      description:
        'What to read of the repository: a file; a folder, for every `.json` file below it; or a pattern such as `servers/*.json`.',
      examples: ['servers/*.json'],
    },
    auth: {
      type: 'object',
      title: 'User and password',
      description: 'Basic authentication, for https.',
      required: ['username', 'passwordFile'],
      properties: {
        username: {
          type: 'string',
          minLength: 1,
          maxLength: 500,
          description: 'User name.',
          examples: ['reader'],
        },
        passwordFile: {
          type: 'string',
          format: 'path',
          minLength: 1,
          description: 'File that holds the password or token, which is trimmed. It is read at every sync.',
          examples: ['/run/secrets/catalogue-password'],
        },
      },
    },
    ssh: {
      type: 'object',
      description: 'Key and known hosts; both are required for an ssh address.',
      required: ['keyFile', 'knownHostsFile'],
      properties: {
        keyFile: {
          type: 'string',
          format: 'path',
          minLength: 1,
          description: 'Private key without a passphrase, which only the user that runs Portolan may read.',
          examples: ['/run/secrets/catalogue-key'],
        },
        knownHostsFile: {
          type: 'string',
          format: 'path',
          minLength: 1,
          description: 'Host keys, in the format of `ssh-keyscan`. A host with another key is refused.',
          examples: ['./known_hosts'],
        },
      },
    },
    caCertPath: {
      type: 'string',
      format: 'path',
      minLength: 1,
      description:
        'Certificate authorities in PEM form that are trusted for this repository, instead of those of the system.',
      examples: ['/etc/portolan/ca.pem'],
    },
    allowHttp: {
      type: 'boolean',
      default: false,
      description:
        'Whether `repository` may begin with `http://`: nothing is encrypted then, including the password. A loopback host in the configuration file needs no `allowHttp`.',
    },
    timeout: {
      type: 'string',
      format: 'duration',
      default: '2m',
      description:
        'Timeout for the server in one sync, and then again for git to read the fetched repository, above zero and at most 1h.',
      examples: ['30s'],
    },
    maxBytes: {
      type: 'integer',
      minimum: 1048576,
      default: 268435456,
      description:
        'Maximum bytes to fetch and store of the repository, as git packs them; never more than `scratch.maxBytes`.',
    },
    maxObjects: {
      type: 'integer',
      minimum: 1,
      default: 200000,
      description:
        'Maximum number of git objects (files, folders, commits) in one fetch, and of files to read.',
    },
  },
} as const satisfies ConfigBlock;

export type GitConfig = ConfigOf<typeof gitConfig>;
