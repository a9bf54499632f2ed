import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

export const dockerConfig = {
  type: 'object',
  title: 'Docker',
  description: 'Containers of Docker, Podman or Colima.',
  properties: {
    host: {
      type: 'string',
      minLength: 1,
      description:
        'Address of the engine. Left out: DOCKER_HOST, then the current Docker context, then the usual sockets.',
      examples: ['unix:///run/user/1000/podman/podman.sock', 'ssh://ops@engine.acme.example'],
    },
    memoryMegabytes: {
      type: 'integer',
      minimum: 16,
      default: 2048,
      description: 'Most memory of a container, in MiB, where nothing else is asked for. It gets no swap.',
    },
    cpus: {
      type: 'number',
      minimum: 0.01,
      default: 2,
      description:
        'Most processor cores of a container, where nothing else is asked for; never more than there are.',
    },
    processes: {
      type: 'integer',
      minimum: 8,
      default: 512,
      description: 'Most processes and threads of a container, where nothing else is asked for.',
    },
    openFiles: {
      type: 'integer',
      minimum: 64,
      default: 16_384,
      description: 'Most open files of a process in a container, where nothing else is asked for.',
    },
    stopGrace: {
      type: 'string',
      format: 'duration',
      default: '30s',
      description: 'Time between asking a container to stop and killing it, where nothing else is asked for.',
    },
  },
} as const satisfies ConfigBlock;

export type DockerConfig = ConfigOf<typeof dockerConfig>;
