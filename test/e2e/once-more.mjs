import { jest } from '@jest/globals';

// Here several programs share a machine that may be busy, and what is late for one test is no fault of the guard. The
// first failure is printed all the same.
jest.retryTimes(1, { logErrorsBeforeRetry: true });
