import { PortolanError, type ConfigBlock, type Plugin, type RuntimeKind } from '@portolan/plugin-api';
import { ProcessHost } from './process-host.ts';

const config = {
  type: 'object',
  description: 'Servers as plain processes of this machine, for tests.',
  properties: {
    folder: {
      type: 'string',
      minLength: 1,
      description: 'Where it is written down which servers there are.',
    },
    programs: {
      type: 'object',
      additionalProperties: { type: 'array', minItems: 1, items: { type: 'string' } },
      description: 'Program and arguments for each image that can be run.',
    },
  },
  required: ['folder', 'programs'],
} as const satisfies ConfigBlock;

/** Runtime that runs workloads as plain processes. It reports that it has no isolation. */
export const processRuntime: RuntimeKind<typeof config> = {
  kind: 'processes',
  config,
  create({ folder, programs }) {
    const find = (image: string): readonly string[] => {
      const program = programs[image];
      if (program !== undefined) return program;
      throw new PortolanError(
        'ERR_IMAGE_NOT_FOUND',
        'absent',
        `There is no program for the image ${image}.`,
        {
          hint: 'Name it in "programs".',
        },
      );
    };
    return { runs: 'workloads', host: new ProcessHost(folder, find), close: () => Promise.resolve() };
  },
};

export default {
  name: 'process-host',
  apiVersion: 2,
  contributes: { runtimes: [processRuntime] },
} satisfies Plugin;
