// The client from C++17: two owners in a few lines, then questions.
//
//     example SOCKET ACCOUNT CLASS URL...

#include <webviewguard.h>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

// ---- The lines to copy ----------------------------------------------------------------------------------------------

struct Free {
  void operator()(wvg *guard) const { wvg_free(guard); }
  void operator()(const wvg_decision *decision) const { wvg_decision_free(decision); }
};

using Decision = std::unique_ptr<const wvg_decision, Free>;

class Guard {
 public:
  explicit Guard(const wvg_options &options) : guard_(wvg_new(&options)) {
    if (!guard_) throw std::bad_alloc();
    wvg_start(guard_.get());
  }

  void show(const std::string &account) {
    wvg_identity identity{};
    identity.account = account.c_str();
    check(wvg_set_identity(guard_.get(), &identity, nullptr));
  }

  void add(const std::string &viewer, const std::string &viewer_class) {
    wvg_viewer known{};
    known.viewer = viewer.c_str();
    known.viewer_class = viewer_class.c_str();
    check(wvg_register_viewer(guard_.get(), &known, nullptr));
  }

  Decision navigate(const std::string &viewer, const std::string &url) {
    wvg_event event{};
    event.viewer = viewer.c_str();
    event.url = url.c_str();
    event.frame = "main";
    return Decision(wvg_ask(guard_.get(), WVG_NAVIGATE, &event));
  }

 private:
  void check(wvg_result result) const {
    if (result == WVG_REFUSED) throw std::runtime_error(wvg_error(guard_.get()));
  }

  std::unique_ptr<wvg, Free> guard_;
};

// ---- The program ----------------------------------------------------------------------------------------------------

int main(int count, char **arguments) {
  if (count < 5) return 64;
  wvg_options options{};
  options.path = arguments[1];
  try {
    Guard guard(options);
    guard.show(arguments[2]);
    guard.add("view", arguments[3]);
    for (int index = 4; index < count; index++) {
      Decision decision = guard.navigate("view", arguments[index]);
      const wvg_open *open = wvg_opens_now(decision.get());
      if (decision->outcome == WVG_ALLOW) std::cout << "load " << arguments[index] << "\n";
      else if (open) std::cout << "open " << open->url << "\n";
      else std::cout << "do not load " << arguments[index] << ": " << decision->reason << "\n";
    }
  } catch (const std::exception &problem) {
    std::cerr << problem.what() << "\n";
    return 1;
  }
  return 0;
}
