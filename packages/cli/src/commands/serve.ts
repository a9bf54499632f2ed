import { Flags } from '@oclif/core';
import type { JsonObject, Logger } from '@portolan/plugin-api';
import { serveRegistry, type RunningRegistry } from '@portolan/registry-server';
import { BaseCommand } from '../command-line/base-command.ts';
import { bootOptions } from '../context/boot-options.ts';
import { readBuildInfo } from '../context/build-info.ts';
import { configFlag } from '../command-line/flags/config-flag.ts';
import { processEnd } from '../command-line/process-end.ts';
import { listenForStop } from '../terminal/stop-signals.ts';
import { describeEntryDemands } from '@portolan/run-spec/entries';

export default class Serve extends BaseCommand {
  static override summary = 'Run the registry server';
  static override description =
    'SIGTERM and SIGINT stop the server gracefully, with exit status 0; a second signal ends it at once. ' +
    'SIGHUP reloads `auth` of the configuration and reopens log files. With --watch, SIGHUP and changes of ' +
    'the file reload `sources` and `registries` too. An invalid configuration changes nothing. Logs go to ' +
    'standard error.';
  static override flags = {
    config: configFlag,
    address: Flags.string({
      description: 'address of the public listener; port 0 is any free port [default: 127.0.0.1:8080]',
      helpValue: 'HOST:PORT',
    }),
    watch: Flags.boolean({
      description: 'reload `auth`, `sources` and `registries` when the configuration file changes',
    }),
    'internal-address': Flags.string({
      description: 'address of the internal listener [default: 127.0.0.1:8081]',
      helpValue: 'HOST:PORT|off',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Serve, this.argumentsOf(Serve));
    const settings = { 'server.address': flags.address, 'server.internalAddress': flags['internal-address'] };
    const boot = await bootOptions({ config: flags.config, debug: flags.debug }, settings);
    const version = { version: this.config.version, ...(await readBuildInfo()) };
    let running: RunningRegistry | undefined;
    // a SIGHUP arrived during start-up, so the server may have read the old configuration
    let hungUpBefore = false;
    const stop = listenForStop(process, {
      signals: ['SIGTERM', 'SIGINT'],
      hungUp: () => {
        if (running === undefined) hungUpBefore = true;
        else void running.reload(); // the promise never rejects
      },
      end: (status) => processEnd.end(status),
    });
    try {
      const describeDemands = async (document: JsonObject) => describeEntryDemands(document);
      const options = { boot, version, watch: flags.watch, describeDemands };
      running = await serveRegistry(options, stop.signal);
      logFailures(running.kernel.logger);
      if (hungUpBefore) void running.reload();
      const signal = await stop.received;
      running.kernel.logger.info({ signal }, 'stopping');
      await running.stop();
      running.kernel.logger.info({}, 'stopped');
    } catch (error) {
      // A stop signal during start-up is not an error.
      if (error !== stop.signal.reason || !stop.signal.aborted) throw error;
    } finally {
      stop.close();
    }
  }
}

/** Logs the error that ends the process. Node.js prints it too, but not to the log. */
function logFailures(logger: Logger): void {
  process.on('uncaughtExceptionMonitor', (error) => {
    logger.error({ error }, 'unexpected failure; the process ends');
  });
}
