// Serves the repositories below a folder by `git http-backend`, in a process of
// its own, so that its CPU time is told apart. Says its address on standard output.
import { GitServer } from '../../plugins/source-git/test/git-server.ts';

const [folder = '.'] = process.argv.slice(2);
const server = await GitServer.start(folder);
process.stdout.write(`${server.url}\n`);
