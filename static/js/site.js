// Everything works without this file. It adds: copy buttons, open details before print, error focus, access dates.
(function () {
  "use strict";
  var each = function (selector, act) { Array.prototype.forEach.call(document.querySelectorAll(selector), act); };

  // Copy buttons are in the page as <button class="copy" data-copy="text" hidden>; data-copy-from names an element instead.
  var said = document.createElement("p");
  said.className = "vh";
  said.setAttribute("role", "status");
  var copyText = function (button) {
    var from = button.getAttribute("data-copy-from");
    var node = from && document.getElementById(from);
    return node ? node.textContent.trim() : button.getAttribute("data-copy") || "";
  };
  if (navigator.clipboard && window.isSecureContext) {
    each("button[data-copy], button[data-copy-from]", function (button) {
      var word = button.textContent;
      button.hidden = false;
      button.addEventListener("click", function () {
        navigator.clipboard.writeText(copyText(button)).then(
          function () { button.textContent = "Copied"; said.textContent = "Copied"; },
          function () { button.textContent = "Not copied"; said.textContent = "Not copied"; }
        ).then(function () {
          setTimeout(function () { button.textContent = word; said.textContent = ""; }, 1600);
        });
      });
    });
    document.addEventListener("DOMContentLoaded", function () { document.body.appendChild(said); });
    if (document.readyState !== "loading") document.body.appendChild(said);
  }

  // Who cites a page read it on their own day, which may be another than UTC's. Each format writes dates in its own way.
  var now = new Date();
  var day = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  var written = function (join) {
    return day.map(function (part) { return join === ", " || part > 9 ? part : "0" + part; }).join(join);
  };
  each("[data-accessed]", function (node) { node.textContent = written(node.textContent.match(/\D+/)[0]); });
  if (now.getUTCDate() !== now.getDate()) {
    each("a[data-accessed-file]", function (link) { link.search = "?accessed=" + written("-"); });
  }

  // A printed page shows everything; what was closed closes again afterwards.
  var opened = [];
  window.addEventListener("beforeprint", function () {
    each("details:not([open])", function (box) { box.open = true; opened.push(box); });
  });
  window.addEventListener("afterprint", function () {
    opened.forEach(function (box) { box.open = false; });
    opened = [];
  });

  // A refused form: the summary takes focus, its links take the reader to the field.
  var summary = document.querySelector("[data-error-summary]");
  if (summary) {
    summary.setAttribute("tabindex", "-1");
    summary.focus();
    each("[data-error-summary] a[href^='#']", function (link) {
      link.addEventListener("click", function (event) {
        var field = document.getElementById(link.getAttribute("href").slice(1));
        if (!field) return;
        event.preventDefault();
        var box = field.closest("details");
        if (box) box.open = true;
        field.focus();
      });
    });
  }

  // A link to a part inside a closed disclosure opens it.
  var reveal = function () {
    var target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    var box = target && target.closest("details");
    if (box) { box.open = true; target.scrollIntoView(); }
  };
  window.addEventListener("hashchange", reveal);
  reveal();
})();
