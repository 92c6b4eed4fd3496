import type { ServerResponse } from 'node:http';
import { HttpError } from './body.js';
import type { Load } from './review-load.js';

/**
 * How long a body may take to come once its head is here. The largest takes 0.1 s at 1 Gbit/s; and the API server waits
 * 10 s for an answer, so that what is slower than this would leave little time to judge.
 */
const patienceMilliseconds = 3000;

export interface Arriving {
  readonly response: ServerResponse;
  readonly load: Load;
  readonly milliseconds?: number | undefined;
}

/** What `read` makes of a request, within its time and within what the guard takes on; else HttpError 408 or 503. */
export async function arrivalOf<T>(
  { response, load, milliseconds = patienceMilliseconds }: Arriving,
  read: (grow: (bytes: number) => boolean) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    // Whoever is still sending is not read from any more.
    const cut = (error: HttpError): void => {
      if (!response.headersSent) response.setHeader('Connection', 'close');
      reject(error);
    };
    const share = load.enter(() => {
      cut(new HttpError(503, 'too much is under way, and this was the slowest to come'));
    });
    response.once('close', () => {
      share.leave();
    });
    const timer = setTimeout(() => {
      cut(new HttpError(408, `the body took longer than ${String(milliseconds / 1000)} s to come`));
    }, milliseconds);
    read((bytes) => share.grow(bytes))
      .finally(() => {
        clearTimeout(timer);
      })
      .then((body) => {
        if (share.begin()) resolve(body);
        else reject(new HttpError(503, 'too many reviews are under way; the failurePolicy of the webhook decides'));
      }, reject);
  });
}
