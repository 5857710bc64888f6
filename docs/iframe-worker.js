// Browsers start no Worker in a page from the disk. There a hidden frame runs its script, so that search works.
// As with a Worker, messages are copies and come later.
if (location.protocol === "file:")
  window.Worker = /** @type {any} */ (
    class extends EventTarget {
      /** @type {((event: MessageEvent) => void) | null} */ onmessage = null;

      constructor(url) {
        super();
        this.frame = document.createElement("iframe");
        this.frame.hidden = true;
        document.body.append(this.frame);
        const inside = /** @type {any} */ (this.frame.contentWindow);
        inside.document.write("<!doctype html><title>Search</title><body>");
        inside.document.close();
        inside.importScripts = () => {};
        inside.postMessage = message => {
          const event = new MessageEvent("message", {data: structuredClone(message)});
          setTimeout(() => {
            this.dispatchEvent(event);
            this.onmessage?.(event);
          });
        };
        this.ready = new Promise(resolve => {
          const script = inside.document.createElement("script");
          script.src = url;
          script.onload = resolve;
          inside.document.body.append(script);
        });
      }
      postMessage(message) {
        const inside = /** @type {any} */ (this.frame.contentWindow);
        const event = new inside.MessageEvent("message", {data: structuredClone(message)});
        this.ready.then(() => setTimeout(() => inside.dispatchEvent(event)));
      }
      terminate() {
        this.frame.remove();
      }
    }
  );
