import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

export const fileConfig = {
  type: 'object',
  title: 'File source',
  description: 'A catalogue in one JSON document: a local file, a document behind a URL, or inline text.',
  oneOfKeys: [['path'], ['url'], ['data']],
  properties: {
    path: {
      type: 'string',
      format: 'path',
      minLength: 1,
      description:
        'Local file, absolute or relative to the folder of the configuration file. It is watched: a change is read within a second.',
      examples: ['./catalogue.json'],
    },
    url: {
      type: 'string',
      minLength: 1,
      secret: true,
      description:
        'Absolute http or https address, read at the sync interval. A user and password in it are sent as basic authentication; `${NAME}` reads an environment variable.',
      examples: ['https://files.acme.example/catalogue.json'],
    },
    data: {
      type: 'string',
      minLength: 1,
      description: 'The JSON text itself.',
      examples: ['{"version":"1.0.0","meta":{"last_updated":"2026-01-15T08:00:00Z"},"data":{"servers":[]}}'],
    },
    timeout: {
      type: 'string',
      format: 'duration',
      description: 'Timeout of one download, above zero and at most 1h. Only with `url`; default: 30s.',
      examples: ['30s'],
    },
  },
} as const satisfies ConfigBlock;

export type FileConfig = ConfigOf<typeof fileConfig>;
