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
        'Address of the engine. Default: DOCKER_HOST, then the current Docker context, then the usual sockets.',
      examples: ['unix:///run/user/1000/podman/podman.sock', 'ssh://ops@engine.acme.example'],
    },
    memoryMegabytes: {
      type: 'integer',
      minimum: 16,
      default: 2048,
      description: 'Default maximum memory of a container in MiB. It gets no swap.',
    },
    cpus: {
      type: 'number',
      minimum: 0.01,
      default: 2,
      description: 'Default maximum number of CPU cores of a container, limited to those of the machine.',
    },
    processes: {
      type: 'integer',
      minimum: 8,
      default: 512,
      description: 'Default maximum number of processes and threads of a container.',
    },
    openFiles: {
      type: 'integer',
      minimum: 64,
      default: 16_384,
      description: 'Default maximum number of open files of a process in a container.',
    },
    stopGrace: {
      type: 'string',
      format: 'duration',
      default: '30s',
      description: 'Default time between the request to stop a container and its kill.',
    },
  },
} as const satisfies ConfigBlock;

export type DockerConfig = ConfigOf<typeof dockerConfig>;
