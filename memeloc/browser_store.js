// What our pages keep in the browser. In: keys, which are lists of texts. Out: what was kept, in any
// window.
//
// It is IndexedDB. A page that is opened from a file may lose what it puts into localStorage: some
// versions of Chromium (156 is one) show the next window, and the same page when it is loaded again,
// an empty one now and then. A page that is closed at once loses what it wanted to write after a
// read, but nothing that it has committed. So each value that may change alone has a key of its own,
// is written without a look at what is there, and windows do not write over each other.
// Everything here is rejected in a browser that keeps nothing.

const PATIENCE_WITH_STORE = 3000;

const database = new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error("the browser's store does not open")), PATIENCE_WITH_STORE);
  const request = indexedDB.open("memeloc", 1);
  request.onupgradeneeded = () => request.result.createObjectStore("kept");
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

// All keys that begin with these texts, and more.
function keysUnder(begin) {
  return IDBKeyRange.bound(begin, [...begin, []], false, true);
}

async function storedUnder(begin) {
  const transaction = (await database).transaction("kept");
  const store = transaction.objectStore("kept");
  const [keys, values] = [store.getAllKeys(keysUnder(begin)), store.getAll(keysUnder(begin))];
  await ended(transaction);
  return keys.result.map((key, place) => [key, values.result[place]]);
}

// First what is removed, keys or ranges of them; then what is put, as [key, value].
async function changeStored({ remove = [], put = [] }) {
  const transaction = (await database).transaction("kept", "readwrite");
  const store = transaction.objectStore("kept");
  for (const keys of remove) store.delete(keys);
  for (const [key, value] of put) store.put(value, key);
  transaction.commit?.();
  return ended(transaction);
}

function ended(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error);
  });
}
