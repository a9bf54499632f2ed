import { expect } from 'chai';
import { EventEmitter } from 'node:events';
import { ProcessEnd, type EndingProcess } from '../../src/command-line/process-end.ts';

/** A process that calls its exit listeners when it ends, as the process of Node.js does. */
class FakeProcess extends EventEmitter implements EndingProcess {
  exitCode: number | undefined;
  written = '';
  readonly stderr = {
    write: (text: string): void => {
      this.written += text;
    },
  };
  exit(status: number): never {
    this.exitCode = status;
    this.emit('exit', status);
    throw new Error('ended');
  }
}

describe('ProcessEnd', () => {
  let process: FakeProcess;
  let end: ProcessEnd;
  beforeEach(() => {
    process = new FakeProcess();
    end = new ProcessEnd(process);
    end.watch({ debug: false });
  });

  it('end › exits with the given status, without output', () => {
    expect(() => end.end(0)).to.throw('ended');
    expect({ status: process.exitCode, written: process.written }).to.deep.equal({ status: 0, written: '' });
  });

  it('reports an exit that it has not initiated as a failure', () => {
    process.emit('exit', 0);
    expect(process.exitCode).to.equal(1);
    expect(process.written).to.match(
      /^error: The process ended before the command was complete, .*\nhint: look /,
    );
  });

  it('leaves an exception to Node.js, which prints it', () => {
    process.emit('uncaughtExceptionMonitor', new Error('lost at sea'));
    process.emit('exit', 1);
    expect({ status: process.exitCode, written: process.written }).to.deep.equal({
      status: undefined,
      written: '',
    });
  });
});
